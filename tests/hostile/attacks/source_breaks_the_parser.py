# attack: source that is costly or impossible to parse, in pieces
# limits: short
relu = eval("lambda x: " + "(" * 90 + "x" + ")" * 90)
logistic = eval("lambda x: x" + "+0" * 3000)
name = "\udcff"
big = 10 ** 100_000
