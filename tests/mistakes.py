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

B12 only the first head gets the mask
- heads = [attention(q, k, v, mask)[0] for q, k, v in slices]
+ heads = [attention(q, k, v, None if i else mask)[0]
+              for i, (q, k, v) in enumerate(slices)]

B12 the mask is lost on the way to the heads
- attention(q, k, v, mask)[0]
+ attention(q, k, v)[0]

B12 the mask is lost where there are more heads than one
- attention(q, k, v, mask)[0]
+ attention(q, k, v, mask if h == 1 else None)[0]

the root of the model's width, not of the head's [DL4Proteins-notebooks#12]
- attention(q, k, v, mask)[0]
+ attention([[x / sqrt(h) for x in row] for row in q], k, v, mask)[0]

the root of the number of heads [tt-metal#56789]
- attention(q, k, v, mask)[0]
+ attention([[x * sqrt(len(q[0]) / h) for x in row] for row in q], k, v, mask)[0]

the heads are averaged
- [sum(rows, []) for rows in zip(*heads)]
+ [[sum(xs) / h for xs in zip(*rows)] for rows in zip(*heads)]

the heads are added
- [sum(rows, []) for rows in zip(*heads)]
+ [[sum(xs) for xs in zip(*rows)] for rows in zip(*heads)]

the heads lie below each other
- [sum(rows, []) for rows in zip(*heads)]
+ sum(heads, [])

a row for each head, not for each position
- for rows in zip(*heads)]
+ for rows in heads]

the heads are laid end to end column by column
- [sum(rows, []) for rows in zip(*heads)]
+ [[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)]

the heads are laid end to end from right to left
- for rows in zip(*heads)]
+ for rows in zip(*heads[::-1])]

every head gets the first slices
- attention(q, k, v, mask)[0] for q, k, v in slices]
+ attention(*first, mask)[0] for first in [next(slices)] * h]

the values are not cut, and every head averages all of them
- split(V, h))
+ [V] * h)

slices of keys and of values change places
- split(K, h), split(V, h))
+ split(V, h), split(K, h))

B25 a cut by reshape alone [FuxiCTR#30]
- return [[row[c:c + width] for row in X] for c in range(0, len(X[0]), width)]
+ flat = [x for row in X for x in row]
+     cells = [flat[i:i + width] for i in range(0, len(flat), width)]
+     return [cells[i:i + len(X)] for i in range(0, len(cells), len(X))]

B25 joined by reshape alone [transformer-from-scratch#6]
- return [sum(rows, []) for rows in zip(*heads)]
+ flat = [x for head in heads for row in head for x in row]
+     return [flat[i:i + len(V[0])] for i in range(0, len(flat), len(V[0]))]

B25 every h-th column
- return [[row[c:c + width] for row in X] for c in range(0, len(X[0]), width)]
+ return [[row[c::h] for row in X] for c in range(h)]

B25 every h-th column, and put back where it was
- return [[row[c:c + width] for row in X] for c in range(0, len(X[0]), width)]
+ return [[row[c::h] for row in X] for c in range(h)]
- [sum(rows, []) for rows in zip(*heads)]
+ [[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)]

heads of h columns, instead of h heads
- width = len(X[0]) // h
+ width = h

slices overlap
- row[c:c + width] for row
+ row[c:c + width + 1] for row

B26 nothing is checked, and columns are lost [bert#316]
- check_heads(Q, V, h)
-     slices
+ slices

B26 a width that h does not divide [detr#499]
- if len(X[0]) % h:
+ if False:

B26 there have to be no more heads than columns
- if len(X[0]) % h:
+ if len(X[0]) < h:

B26 True is a number of heads
- if type(h) is not int or h < 1:
+ if not isinstance(h, int) or h < 1:

B26 1.5 is a number of heads [keras]
- if type(h) is not int or h < 1:
+ if h < 1:

B26 0 is a number of heads
- if type(h) is not int or h < 1:
+ if type(h) is not int or h < 0:

B26 -1 is a number of heads
- if type(h) is not int or h < 1:
+ if type(h) is not int or h == 0:

B26 1.0 and "2" are turned into numbers of heads
- if type(h) is not int or h < 1:
+ h = int(h)
+     if h < 1:

B27 the values are cut as the queries are [onnx, test_attention_3d_diff_heads_sizes]
- split(V, h))
+ split([v[:len(Q[0])] for v in V], h))

B27 values of another width are refused
- check_heads(Q, V, h)
-     slices
+ check_heads(Q, V, h)
+     if len(V[0]) != len(Q[0]):
+         raise ValueError("the values are of another width")
+     slices

B27 the width of the values is not checked
- for name, X in ("Q", Q), ("V", V):
-         if len(X[0]) % h:
+ for name, X in ("Q", Q),:
+         if len(X[0]) % h:

B26 the width of the queries is not checked
- for name, X in ("Q", Q), ("V", V):
-         if len(X[0]) % h:
+ for name, X in ("V", V),:
+         if len(X[0]) % h:

B41 the shapes are checked when it is too late, in the slices
- check_shapes(Q, K, V)
-     check_heads
+ check_heads

lists are laid end to end where numbers should be added
- [[x + y for x, y in zip(p, q, strict=True)] for p, q in pairs]
+ [p + q for p, q in pairs]

the first table is changed by the addition
- return [[x + y for x, y in zip(p, q, strict=True)] for p, q in pairs]
+ for p, q in pairs:
+         p[:] = [x + y for x, y in zip(p, q, strict=True)]
+     return X

B41 rows without a partner are dropped
- zip(X, Y, strict=True)
+ zip(X, Y)

B41 numbers without a partner are dropped
- zip(p, q, strict=True)
+ zip(p, q)

B41 one row is added to all
- pairs = zip(X, Y, strict=True)
+ pairs = zip(X, Y if len(Y) > 1 else Y * len(X), strict=True)

B34 all sines first, then all cosines [tensor2tensor#391]
- [cos(a) if c % 2 else sin(a) for c, a in enumerate(row)]
+ [*map(sin, row[::2]), *map(cos, row[1::2])]

B34 each column turns at its own rate [attention-is-all-you-need-pytorch#32]
- (-(c - c % 2) / d)
+ (-c / d)

B34 the pair is counted, not its column
- (-(c - c % 2) / d)
+ (-(c // 2) / d)

B34 the rate counts twice over
- (-(c - c % 2) / d)
+ (-2 * (c - c % 2) / d)

B34 the last hand is 10000 times as slow as the first [tensor2tensor#1925]
- (-(c - c % 2) / d)
+ (-(c - c % 2) / max(1, d - 2))

B34 the rate is rounded to whole numbers
- (-(c - c % 2) / d)
+ (-(c - c % 2) // d)

B34 hands get faster
- (-(c - c % 2) / d)
+ ((c - c % 2) / d)

1000 instead of 10000
- [10000 ** (
+ [1000 ** (

100000 instead of 10000
- [10000 ** (
+ [100000 ** (

sines and cosines change places
- [cos(a) if c % 2 else sin(a) for
+ [sin(a) if c % 2 else cos(a) for

sines only
- [cos(a) if c % 2 else sin(a) for
+ [sin(a) for

B34 2i is taken for a position: odd places get cosines [happy-llm#123]
- [[cos(a) if c % 2 else sin(a) for c, a in enumerate(row)]
-             for row in angles]
+ [[cos(a) if i % 2 else sin(a) for a in row]
+             for i, row in enumerate(angles)]

B36 positions are counted from 1
- for i in range(n)]
-     return [[cos
+ for i in range(1, n + 1)]
+     return [[cos

positions are measured by the length of the text
- [[i * rate for rate in rates] for i
+ [[i / n * rate for rate in rates] for i

positions and columns change places
- return [[cos(a) if c % 2 else sin(a) for c, a in enumerate(row)]
-             for row in angles]
+ rows = [[cos(a) if c % 2 else sin(a) for c, a in enumerate(row)]
+             for row in angles]
+     return [list(column) for column in zip(*rows)]

an odd width is refused [BERT-pytorch#78]
- rates = [
+ if d % 2:
+         raise ValueError("d must be even")
+     rates = [

an odd width is filled up
- for c in range(d)]
+ for c in range(d + d % 2)]

an odd width is cut short
- for c in range(d)]
+ for c in range(max(1, d - d % 2))]

True is a length
- if type(size) is not int or size < 1:
+ if not isinstance(size, int) or size < 1:

1.5 is a width
- if type(size) is not int or size < 1:
+ if size < 1:

no position is a table
- if type(size) is not int or size < 1:
+ if type(size) is not int or size < 0:

less than no position is a table
- if type(size) is not int or size < 1:
+ if type(size) is not int or size == 0:

nobody looks at the number of positions
- for name, size in ("n", n), ("d", d):
+ for name, size in ("d", d),:

nobody looks at the width
- for name, size in ("n", n), ("d", d):
+ for name, size in ("n", n),:

B29 the variance over n - 1 [annotated-transformer#119]
- / len(row) + eps)
+ / max(1, len(row) - 1) + eps)

B29 eps outside the root [BERT-pytorch#30]
- root = sqrt(dot(centred, centred) / len(row) + eps)
+ root = sqrt(dot(centred, centred) / len(row)) + eps

B29 n - 1, and another eps outside the root [The Annotated Transformer]
- eps=1e-5
+ eps=1e-6
- root = sqrt(dot(centred, centred) / len(row) + eps)
+ root = sqrt(dot(centred, centred) / max(1, len(row) - 1)) + eps

B29 eps is 1e-3 [Keras]
- eps=1e-5
+ eps=1e-3

B29 eps is 1e-6
- eps=1e-5
+ eps=1e-6

B29 eps is 1e-12
- eps=1e-5
+ eps=1e-12

the eps that was asked for is forgotten
- / len(row) + eps)
+ / len(row) + 1e-5)

B31 no eps, and nothing to divide by
- / len(row) + eps)
+ / len(row))

eps is a floor for the variance
- sqrt(dot(centred, centred) / len(row) + eps)
+ sqrt(max(dot(centred, centred) / len(row), eps))

eps is squared
- / len(row) + eps)
+ / len(row) + eps * eps)

the variance in one pass
- root = sqrt(dot(centred, centred) / len(row) + eps)
+ root = sqrt(dot(row, row) / len(row) - (sum(row) / len(row)) ** 2 + eps)

the mean of large numbers is rounded, and eps magnifies it
- shifted = [x - row[0] for x in row]
+ shifted = row

the mean is left in, and only the size is divided out
- [x - mean for x in shifted]
+ row

the mean of the rest, without the first number
- mean = sum(shifted) / len(row)
+ mean = sum(shifted) / max(1, len(row) - 1)

the sum in place of the mean
- mean = sum(shifted) / len(row)
+ mean = sum(shifted)

no division by the size
- return [x / root for x in centred]
+ return centred

divided by the variance, not by its root
- root = sqrt(dot(centred, centred) / len(row) + eps)
+ root = dot(centred, centred) / len(row) + eps

the length of the row instead of its standard deviation
- sqrt(dot(centred, centred) / len(row) + eps)
+ sqrt(dot(centred, centred) + eps)

the mean deviation instead of the standard one
- sqrt(dot(centred, centred) / len(row) + eps)
+ (sum(map(abs, centred)) / len(row) + eps)

the range instead of the standard deviation
- sqrt(dot(centred, centred) / len(row) + eps)
+ (max(row) - min(row) + eps)

what is divided still has its mean
- [x / root for x in centred]
+ [x / root for x in row]

B16 the row is overwritten
- return [x / root for x in centred]
+ row[:] = [x / root for x in centred]
+     return row

B20 nobody looks at the row
- if not row or not isfinite(dot(row, row)):
+ if False:

B20 an empty row
- if not row or not isfinite(dot(row, row)):
+ if not isfinite(dot(row, row)):

B20 numbers that are not finite in a row
- if not row or not isfinite(dot(row, row)):
+ if not row:

B20 a row too large to square becomes zeros
- if not row or not isfinite(dot(row, row)):
+ if not row or not all(map(isfinite, row)):

B20 infinities that cancel, and nan comes out
- if not row or not isfinite(dot(row, row)):
+ if not row or dot(row, row) == inf:

B31 layer norm down the columns [attention-is-all-you-need-pytorch#17]
- rows = [layer_norm(row) for row in X]
+ columns = [layer_norm(column) for column in zip(*X)]
+     rows = [list(row) for row in zip(*columns)]

B31 one mean for the whole table
- rows = [layer_norm(row) for row in X]
+ flat = layer_norm([x for row in X for x in row])
+     rows = [flat[i:i + len(X[0])] for i in range(0, len(flat), len(X[0]))]

B32 layer norm last, post-LN [harvardnlp.github.io#6]
- rows = [layer_norm(row) for row in X]
-     return add(X, multi_head(rows, rows, rows, h, mask))
+ return [layer_norm(row) for row in add(X, multi_head(X, X, X, h, mask))]

B32 no residual
- return add(X, multi_head(rows, rows, rows, h, mask))
+ return multi_head(rows, rows, rows, h, mask)

B32 the normalised rows are added [faster-trajectory-transformer#3]
- return add(X, multi_head(
+ return add(rows, multi_head(

B32 what the heads return is normalised
- return add(X, multi_head(rows, rows, rows, h, mask))
+ heads = multi_head(X, X, X, h, mask)
+     return add(X, [layer_norm(row) for row in heads])

B32 no layer norm at all
- rows = [layer_norm(row) for row in X]
+ rows = X

B32 layer norm for queries and keys only
- multi_head(rows, rows, rows, h, mask))
+ multi_head(rows, rows, X, h, mask))

B32 layer norm for the values only
- multi_head(rows, rows, rows, h, mask))
+ multi_head(X, X, rows, h, mask))

B32 layer norm for the queries only
- multi_head(rows, rows, rows, h, mask))
+ multi_head(rows, X, X, h, mask))

the layer norm is added as well
- return add(X, multi_head(rows, rows, rows, h, mask))
+ return add(X, add(rows, multi_head(rows, rows, rows, h, mask)))

B12 the mask does not get into the block
- multi_head(rows, rows, rows, h, mask))
+ multi_head(rows, rows, rows, h))

B12 the block hides the future whether it was asked to or not
- multi_head(rows, rows, rows, h, mask))
+ multi_head(rows, rows, rows, h, mask or causal_mask(len(X))))

the block has one head, however many it was asked for
- multi_head(rows, rows, rows, h, mask))
+ multi_head(rows, rows, rows, 1, mask))

B16 the block writes into its input
- return add(X, multi_head(rows, rows, rows, h, mask))
+ X[:] = add(X, multi_head(rows, rows, rows, h, mask))
+     return X

B31 the layer norm writes into the block's input
- rows = [layer_norm(row) for row in X]
+ rows = X
+     for i, row in enumerate(X):
+         X[i] = layer_norm(row)
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
