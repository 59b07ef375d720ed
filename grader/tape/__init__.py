"""The tape: what autograd recorded while a student's functions ran, drawn, with its cuts marked."""
