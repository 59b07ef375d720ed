"""Isolation of students' code, from the trusted side: what holds here, and plans for children.

    probe.py        tries each layer on this machine (try_layers.py is the script that does it)
    levels.py       jail > confined > process; a level's plan, as plain data
    bubblewrap.py   the command that starts the zygote in a jail (userns.py maps user ids for it)
    paths.py        what a child may see of the file system
    seccomp.py      which system calls it may make; bpf.py and syscalls.py turn that into a program

A child carries its plan out by itself: `student/worker/confine.py`, on the untrusted side.
"""

from grader.student.jail.levels import LEVELS, Level, Limits, Plan, plan, strongest, why_not
from grader.student.jail.probe import Probe, probe

__all__ = ["LEVELS", "Level", "Limits", "Plan", "Probe", "plan", "probe", "strongest", "why_not"]
