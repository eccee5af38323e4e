"""The best tags of a conditional random field outside of TensorFlow, as ``tf.contrib.crf`` had it."""


def viterbi_decode(score, transition_params):
    """Returns the best tags, a list of integers, and their score.

    Args:
      score: scores of the tags, an array of [time, tags].
      transition_params: scores of a tag after another, an array of [tags, tags].
    """
    best, before = score[0], []
    for scores in score[1:]:
        by_tag = best[:, None] + transition_params
        before.append(by_tag.argmax(0).astype("int32"))
        best = (scores + by_tag.max(0)).astype(score.dtype)
    tags = [best.argmax()]
    for tag_before in reversed(before):
        tags.append(tag_before[tags[-1]])
    return tags[::-1], best.max()
