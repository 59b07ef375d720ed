"""A class with everything odd in it, graded once; tests that change results work on copies."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest
from class_runs import (
    BALLOONS,
    LONG,
    PLAIN,
    REFERENCE,
    STAFF,
    TWICE_WRONG,
    WRONG,
    Graded,
    batch,
    batch_arguments,
    descendants,
    ended,
    make_class,
    sockets_beyond_this_machine,
    started,
)


@pytest.fixture(scope="session")
def odd_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Names, kinds and contents that a class may really have."""
    folder = make_class(
        tmp_path_factory.mktemp("odd") / "class",
        **{
            "right": REFERENCE,
            "wrong": TWICE_WRONG,
            "two words": STAFF / "right" / "cross_entropy_einsum.py",
            "🎈": WRONG / "gradient_ascent_add.py",
            "=1+1": STAFF / "right" / "cross_entropy_log1p.py",
            "line\nbreak": WRONG / "relu_inverted_mask.py",
            LONG: WRONG / "bias_missing_both.py",
            BALLOONS: WRONG / "log_base_ten.py",
            "twin": WRONG / "loss_not_averaged_sum.py",
        },
    )
    shutil.copy(WRONG / "backward_missing_no_step.ipynb", folder / "twin.ipynb")
    inner = folder / "group 7" / "submission"
    inner.mkdir(parents=True)
    shutil.copy(TWICE_WRONG, inner / "xor_by_hand.py")
    (folder / "nothing in it").mkdir()
    (folder / "garbled.ipynb").write_text("{ no notebook")
    (folder / "notes.txt").write_text("not handed in")
    (folder / "link.py").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.py")
    return folder


@pytest.fixture(scope="session")
def odd(odd_class: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Graded by two children at once, its sockets looked at all the while."""
    out = tmp_path_factory.mktemp("odd-out") / "results"
    process = started(*batch_arguments(odd_class, out, "--jobs", "2"))
    seen: set[str] = set()
    while process.poll() is None:
        for pid in (process.pid, *descendants(process.pid)):
            seen |= set(sockets_beyond_this_machine(pid))
        try:
            process.wait(0.3)
        except Exception:
            continue
    return Graded(odd_class, out, ended(process), tuple(seen))


@pytest.fixture(scope="session")
def zipped(odd_class: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The plain ones of the same class, from a zip, one after the other."""
    folder = tmp_path_factory.mktemp("zipped")
    source = folder / "class.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for name in PLAIN:
            archive.write(odd_class / f"{name}.py", f"class/{name}.py")
        archive.write(odd_class / "twin.ipynb", "class/twin.ipynb")
        archive.write(odd_class / "group 7/submission/xor_by_hand.py", "class/group 7/one/x.py")
    return Graded(source, folder / "out", batch(source, folder / "out", "--jobs", "1"))


@pytest.fixture
def copy(odd: Graded, tmp_path: Path) -> Path:
    """The odd class's results, to be changed at will."""
    return Path(shutil.copytree(odd.out, tmp_path / "results"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return make_class(tmp_path / "class", right=REFERENCE, wrong=TWICE_WRONG)
