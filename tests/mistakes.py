"""Mistakes that people who write attention by hand make, as edits of tf/model.py.

Each is a line that says what it is, then what to change: `-` old text, `+` new text. An old text
stands exactly once in the file. The letter and number name the kind; in brackets is a place where
it happened.
"""

from collections import namedtuple
from itertools import groupby
from operator import itemgetter

Mistake = namedtuple("Mistake", "what edits")    # edits: [(old, new)]

TABLE = """
B19 no shift, and exp overflows [DML-OpenProblem#406]
- exp(x - top)
+ exp(x)

B19 the shift has a floor of 0, and exp underflows [NNlib.jl#43]
- top = max(xs, default=-inf)
+ top = max(0, *xs)

B19 the smallest score is subtracted
- top = max(xs, default=-inf)
+ top = min(xs, default=-inf)

B16 the scores are overwritten [d2l-en, masked_softmax]
- powers = [exp(x - top) for x in xs]
+ powers = xs
+     xs[:] = [exp(x - top) for x in xs]

the powers of 2 instead of e
- [exp(x - top) for
+ [2 ** (x - top) for

no division by the sum
- [power / total for
+ [power for

division by the number of scores
- [power / total for
+ [power / len(xs) for

B20 no guard, and nan comes out [geti#1507]
- if not total >= 1:
+ if False:

B20 a guard that lets nan pass, which is never below 1
- if not total >= 1:
+ if total < 1:

B20 no scores, no weights, and nobody is told
- top = max(xs, default=-inf)
+ top = max(xs, default=-inf)
+     if not xs:
+         return []

B01 equal weights where every score is -inf [d2l-en#2423]
- if not total >= 1:
+ if top == -inf:
+         return [1 / len(xs)] * len(xs)
+     if not total >= 1:

B44 no square root of the width [5 of 5 cases of a public grader let it pass]
- sqrt(len(K[0]))
+ 1

the width instead of its root
- sqrt(len(K[0]))
+ len(K[0])

the root of the number of keys
- sqrt(len(K[0]))
+ sqrt(len(K))

the root of the number of queries
- sqrt(len(K[0]))
+ sqrt(len(Q))

the root of the values' width
- sqrt(len(K[0]))
+ sqrt(len(V[0]))

multiplied by the root
- dot(q, k) / root
+ dot(q, k) * root

divided by it twice
- dot(q, k) / root
+ dot(q, k) / root / root

B42 divided as whole numbers
- dot(q, k) / root
+ dot(q, k) // root

B42 rows must be lists
- [dot(q, k) / root
+ [dot(q + [], k) / root

B16 the queries are scaled in place
- scores = [[dot(q, k) / root
+ for q in Q:
+         q[:] = [x / root for x in q]
+     scores = [[dot(q, k)

B21 softmax over the columns [detr#247]
- weights = [softmax(row) for row in scores]
+ columns = [softmax(list(column)) for column in zip(*scores)]
+     weights = [list(row) for row in zip(*columns)]

B21 softmax over the whole table
- weights = [softmax(row) for row in scores]
+ flat = softmax([s for row in scores for s in row])
+     weights = [flat[i:i + len(K)] for i in range(0, len(flat), len(K))]

queries and keys change places
- for k in K] for q in Q]
+ for k in Q] for q in K]

the keys are averaged, not the values
- zip(*V)
+ zip(*K)

the scores weigh the values, not the weights
- for column in columns] for row in weights]
+ for column in columns] for row in scores]

the values are not turned
- columns = list(zip(*V))
+ columns = V

the columns are used up by the first query
- columns = list(zip(*V))
+ columns = zip(*V)

the results change places
- return out, weights
+ return weights, out

B41 nothing is checked
- check_shapes(Q, K, V)
-     root
+ root

B41 a key of another width meets the query
- if len(K[0]) != len(Q[0]):
+ if False:

B41 a key may be narrower than the query
- if len(K[0]) != len(Q[0]):
+ if len(K[0]) > len(Q[0]):

B41 a key may be wider than the query
- if len(K[0]) != len(Q[0]):
+ if len(K[0]) < len(Q[0]):

B41 some keys have no value
- if len(V) != len(K):
+ if len(V) > len(K):

B41 some values have no key
- if len(V) != len(K):
+ if len(V) < len(K):

B41 ragged rows
- if len(row) != len(X[0]):
+ if False:

B41 only the first row is checked
- for i, row in enumerate(X):
+ for i, row in enumerate(X[:1]):

B41 an empty table
- if not X or not X[0]:
+ if False:

B41 the values are not checked
- ("K", K), ("V", V):
+ ("K", K):

B41 the keys are not checked
- ("K", K), ("V", V):
+ ("V", V):

B41 the queries are not checked
- ("Q", Q), ("K", K),
+ ("K", K),

B20 numbers that are not finite
- if not all(map(isfinite, row)):
+ if False:

B20 one finite number is enough
- if not all(map(isfinite, row)):
+ if not any(map(isfinite, row)):

B12 the mask is forgotten [keras#23038]
- if mask is not None:
+ if False:

B12 the mask is forgotten on one path, that of a single query
- if mask is not None:
+ if mask is not None and len(Q) > 1:

B07 true hides [LLMs-from-scratch#1061]
- s if seen else -inf
+ -inf if seen else s

B04 a hidden score is 0 [CollaborativeMemoryNetwork#8]
- s if seen else -inf
+ s if seen else 0

B04 the scores are multiplied by the mask
- s if seen else -inf
+ s * seen

B06 a hidden score is -100
- s if seen else -inf
+ s if seen else -100

B01 a hidden score is -1e9, and one that is seen is smaller [The Annotated Transformer]
- s if seen else -inf
+ s if seen else -1e9

B08 ones and zeros are added to the scores [transformers#41443]
- s if seen else -inf
+ s + seen

B08 only True is true, and 1 hides
- s if seen else -inf
+ s if seen is True else -inf

B08 only False is false, and 0 shows
- s if seen else -inf
+ -inf if seen is False else s

B17 the mask lies on its side [Machine-Learning-Collection#83]
- zip(scores, mask)]
+ zip(scores, zip(*mask))]

B17 every query gets the first row of the mask
- zip(scores, mask)]
+ zip(scores, [mask[0]] * len(Q))]

B03 masked after softmax [pytorch-image-models#2236]
- scores = [[s if seen
+ hidden = [[s if seen
- weights = [softmax(row) for row in scores]
+ weights = [softmax(row) for row in scores]
+     if mask is not None:
+         weights = [[w * seen for w, seen in zip(*rows)] for rows in zip(weights, mask)]

B16 the mask is rewritten in place
- check_mask(mask, len(Q), len(K))
+ check_mask(mask, len(Q), len(K))
+         mask[:] = [[int(not seen) for seen in row] for row in mask]
- zip(scores, mask)]
+ zip(scores, [[not hides for hides in row] for row in mask])]

B10 the diagonal is off by one, and nobody sees themselves [former#10]
- j <= i for j
+ j < i for j

B10 the diagonal is off by one, and everybody sees one too many [tutorials#2250]
- j <= i for j
+ j <= i + 1 for j

B10 the upper triangle
- j <= i for j
+ j >= i for j

B07 a mask that says what is hidden [pytorch#170415]
- j <= i for j
+ j > i for j

B17 the mask is not checked
- check_mask(mask, len(Q), len(K))
+ pass

B09 a mask for more queries is read from its top left corner [pytorch#103082]
- len(mask) != n_q or
+ len(mask) < n_q or

B17 the mask has too few rows
- len(mask) != n_q or
+ len(mask) > n_q or

B17 a row of the mask is too long
- len(row) != n_k for
+ len(row) < n_k for

B17 a row of the mask is too short
- len(row) != n_k for
+ len(row) > n_k for

B08 an additive mask is read backwards
- if not set(row) <= {0, 1}:
+ if False:

B01 a query that sees no key is not named [pytorch#103963]
- if not any(row):
+ if False:

a query that does not see every key is refused
- if not any(row):
+ if not all(row):
"""


def read(table):
    """[Mistake] in the order of the table."""
    return [read_one(text.splitlines()) for text in table.strip().split("\n\n")]


def read_one(lines):
    what, *lines = lines
    texts = ["\n".join(line[2:] for line in run) for _, run in groupby(lines, key=itemgetter(0))]
    return Mistake(what, list(zip(texts[::2], texts[1::2])))


def make(mistake, source):
    """The source with the mistake in it."""
    for old, new in mistake.edits:
        assert source.count(old) == 1, f"{mistake.what}: `{old}` stands {source.count(old)} times"
        source = source.replace(old, new)
    return source


MISTAKES = read(TABLE)
