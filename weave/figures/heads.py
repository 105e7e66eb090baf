"""A verb that looks at two places: one softmax cannot, two can. The example of chapter 4."""

from tf.model import attention, multi_head, split
from weave.figures import Figure, Step
from weave.figures.draw import bars, listing, matrix, side_by_side
from weave.figures.inputs import real

Q = [4, 0, 0, 4]
K = [[4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]]
VALUES = [1, 0], [0, 0], [0, 1]    # the first word, the verb, the last word

LINES = {"scores": "scores = [[dot", "weights": "weights =", "out": "out ="}

INPUTS = {"lean": real(0.1, 2, 0.1)}

TEXT = {
    "en": {
        "inputs": {"lean": "How far one side is preferred"},
        "title": "One look at two places, and two looks",
        "question": "Who bites whom? The verb asks for both at once.",
        "heads": ["one softmax", "one softmax, one side preferred", "the same row, cut in two",
                  "two heads, a softmax each"],
        "places": ["before the verb", "the verb", "after the verb"], "query": "query",
        "names": ["dog", "man"], "texts": ["dog bites man", "man bites dog"],
        "weights": "Weights, in both sentences", "out": "Output", "head": "head {}",
        "column": "column {}",
        "says": [
            "The query finds both words and gives each nearly half, and the two sentences make "
            "the same output.",
            "Prefer one side, and the outputs differ, but the word on the other side becomes "
            "faint: what one key gets, another loses.",
            "Columns 0 and 1 become head 0, columns 2 and 3 head 1, and no number in them is "
            "changed.",
            "Each head has a whole 1 to give away, so each is certain, and side by side they say "
            "who bites and who is bitten.",
        ],
    },
    "zh": {
        "inputs": {"lean": "偏向一边的程度"},
        "title": "一眼看两处，与看两眼",
        "question": "谁咬谁？动词要同时问两件事。",
        "heads": ["一个 softmax", "一个 softmax，偏向一边", "同一行，切成两半", "两个头，各有一个 softmax"],
        "places": ["动词之前", "动词", "动词之后"], "query": "查询",
        "names": ["狗", "人"], "texts": ["狗咬人", "人咬狗"],
        "weights": "权重，两句话都一样", "out": "输出", "head": "头 {}",
        "column": "第 {} 列",
        "says": [
            "查询找到了两个词，各给将近一半；于是两句话的输出一模一样。",
            "偏向一边，输出就不同了，可是另一边的词变淡了：一个键多得，另一个就少得。",
            "第 0、1 列归头 0，第 2、3 列归头 1，列里的数一个也没有变。",
            "每个头都有完整的 1 可以分，所以每个头都很确定；并排放在一起，谁咬、谁被咬，一清二楚。",
        ],
    },
}


def figure(lang="en", lean=0.5):
    say, bold = TEXT[lang], [4 + lean, 0, 0, 4 - lean]
    heads = [say["head"].format(h) for h in range(2)]
    bodies = [one_look(Q, say), one_look(bold, say), cut(heads, say), two_looks(heads, say)]
    steps = [Step(*each) for each in zip(say["heads"], bodies, say["says"])]
    return Figure(say["title"], say["question"], steps)


def one_look(q, say):
    answers = [attention([q], K, V) for V in texts()]
    weights = answers[0][1][0]
    return listing(attention, LINES) + side_by_side(
        bars(weights, say["places"], caption=say["weights"], line="weights"),
        table([out[0] for out, _ in answers], say["names"], say))


def cut(heads, say):
    names = [say["query"], *say["places"]]
    columns = split([[say["column"].format(c) for c in range(4)]], 2)
    return listing(split, {"width": "width =", "cut": "return"}) + side_by_side(
        *[matrix(part, names, *columns[h], row=0, caption=heads[h], line="cut")
          for h, part in enumerate(split([Q, *K], 2))])


def two_looks(heads, say):
    looks = [attention(q, k, VALUES)[1][0] for q, k in zip(split([Q], 2), split(K, 2))]
    outs = [multi_head([Q], K, [v + v for v in V], 2)[0] for V in texts()]
    columns = [f"{head} · {name}" for head in heads for name in say["names"]]
    shares = [bars(look, say["places"], caption=head, line="weights")
              for look, head in zip(looks, heads)]
    code = listing(attention, {"weights": "weights ="}) + listing(
        multi_head, {"slices": "slices =", "heads": "heads =", "out": "return"})
    return code + side_by_side(*shares, table(outs, columns, say))


def texts():
    """The values of the two sentences."""
    return VALUES, VALUES[::-1]


def table(outs, columns, say):
    return matrix(outs, say["texts"], columns, caption=say["out"], heat=outs, line="out")
