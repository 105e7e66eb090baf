"""What readers ask is answered where questions.md says, and by a session."""

import re

import pytest
from markdown import markdown
from rendered import extensions, links, page, section, source

# Where readers of other books and programs asked, a thread a line.
ASKED = """\
harvardnlp/annotated-transformer#119, #122
harvardnlp/annotated-transformer#37, #137
harvardnlp/annotated-transformer#17
harvardnlp/harvardnlp.github.io#6
pbloem/former#10
keitakurita/Practical_NLP_in_PyTorch#8
rasbt/LLMs-from-scratch#1061
rasbt/LLMs-from-scratch#746, #747, #838
rasbt/LLMs-from-scratch#411
rasbt/LLMs-from-scratch#280
rasbt/LLMs-from-scratch#331
labmlai/annotated_deep_learning_paper_implementations#215, #244, #249, #256
labmlai/annotated_deep_learning_paper_implementations#251, #265
poloclub/transformer-explainer#31
poloclub/transformer-explainer#70
bbycroft/llm-viz#2
karpathy/nanoGPT#331, #398
karpathy/nanoGPT#170, #451
karpathy/nanochat#264, #489
d2l-ai/d2l-en#2423
d2l-ai/d2l-zh#759, #903
Open-Deep-ML/DML-OpenProblem#406
datawhalechina/base-llm#67; datawhalechina/happy-llm#121, #123
raiyanyahya/how-to-train-your-gpt#12, #13
bentrevett/pytorch-seq2seq#73, #119, #191
tensorflow/text#1122; EdwardRaff/Inside-Deep-Learning#22""".splitlines()

# The same about what real models do: chapters 10 to 16.
FIELD = """\
apple/axlearn#842
baichuan-inc/Baichuan2#225
Dao-AILab/flash-attention#517
ekzhang/jax-js#180
EleutherAI/gpt-neox#1003
facebookresearch/fairseq#1187
fkodom/grouped-query-attention-pytorch#5
huggingface/sentence-transformers#1600
huggingface/transformers#25199
huggingface/transformers#41228
huggingface/transformers#41443
InternLM/lmdeploy#2639
Mikyx-1/TinyLLM#17
ml-explore/mlx#343
naklecha/llama3-from-scratch#20
NVIDIA/Megatron-LM#535
onnx/onnx#7865
pytorch/pytorch#103082, #108108
pytorch/pytorch#103963
pytorch/pytorch#144858
pytorch/torchtitan#1246
pytorch/torchtitan#1448
ServiceNow/Fast-LLM#190
huggingface/transformers#3021, #18478
pytorch/pytorch#70348, #75181""".splitlines()

TEXT = source("questions.md")
PART = dict(zip(["readers", "not yet", "sources"],
                re.split("## Not in this book yet|## What the sources", TEXT)))


def threads(text):
    """{"owner/name#1", ...}: `owner/name#1, #2` are two."""
    found = re.findall(r"([\w.-]+/[\w.-]+)((?:(?:, )?#\d+)+)", text)
    return {name + number for name, numbers in found for number in re.findall(r"#\d+", numbers)}


def entries(text, mark):
    """["[question](link) ...", ...]: the items of a list, a line each."""
    items = re.findall(rf"^{mark} (.*(?:\n {{2,}}.*)*)", text, re.M)
    return [re.sub(r"\s+", " ", item) for item in items]


def targets(item):
    return re.findall(r"\]\(([^)]+)\)", item)


QUESTIONS = entries(PART["readers"], "-")
DEMANDS = entries(PART["sources"], r"\d+\.")


@pytest.mark.parametrize("link", sorted(set(links(page("questions.md")))))
def test_a_link_leads_to_a_place(link):
    assert section(link) if "#" in link else page(link)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda item: targets(item)[0])
def test_a_question_leads_to_a_session(question):
    assert re.match(r"\[.+[?.]\]\(", question)
    [link] = targets(question)
    assert 'class="language-pycon' in section(link)


def test_twenty_six_threads_are_answered_or_said_not_to_be():
    assert len(ASKED) == 26
    listed = threads(PART["readers"]) | threads(PART["not yet"])
    assert set().union(*map(threads, ASKED + FIELD)) == listed


def test_forty_five_demands_stand_in_order_each_with_its_place():
    numbers = re.findall(r"^(\d+)\. ", PART["sources"], re.M)
    assert [*map(int, numbers)] == [*range(1, 21), *range(1, 16), *range(1, 11)]
    assert len(DEMANDS) == 45 and all(map(targets, DEMANDS))


def test_what_looks_like_a_link_is_one():
    assert len(links(page("questions.md"))) == len(targets(TEXT))


# ---- the places

LEADS = """# Top

**The wrong axis.** Words.

Words, **not a lead**.

**The wrong axis.** Again.

**Top** and

```python {#hide}
```

**Hide**

**注意力**
"""


def test_bold_words_that_begin_a_paragraph_are_a_place_unless_the_place_is_taken():
    html = markdown(LEADS, **extensions())
    assert re.findall(r'<(\w+) id="([^"]*)"', html) == [
        ("h1", "top"), ("p", "the-wrong-axis"), ("div", "hide")]
