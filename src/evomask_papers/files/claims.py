"""Claims of chapter 3 on its R-U maps and tests, checked on our runs."""

from collections.abc import Mapping, Sequence
from statistics import mean

from evomask.evolution.individual import Fitness
from evomask_papers.claims import Claim
from evomask_papers.file_study import FilesStudy
from evomask_papers.files.inputs import FLARE, GERMAN


def pairs_fall(study: FilesStudy) -> Claim:
    """Figure 3.6: loss and risk decrease, and some final files are very unbalanced."""
    first, last = (mean(map(sum, files)) / 2 for files in (study.first, study.last))
    usual = max(abs(loss - risk) for loss, risk in study.first)
    furthest = max(abs(loss - risk) for loss, risk in study.last)
    return Claim(
        "the values of the pairs are reduced, some last files at the price of their balance",
        last < first and furthest > AS_UNBALANCED * usual,
        {
            "mean of loss and risk from": first, "to": last,
            "points between loss and risk at most, first": usual, "last": furthest,
        },
    )  # fmt: skip


AS_UNBALANCED = 0.5
"""Factor on the largest difference of loss and risk of first files; above it, a file is very
unbalanced."""


def both_fall(study: FilesStudy) -> Claim:
    """Figure 3.2: files improve in loss and in risk."""
    (loss, risk), (last_loss, last_risk) = _means(study.first), _means(study.last)
    return Claim(
        "the files as a whole improve, in loss and in risk",
        last_loss < loss and last_risk < risk,
        {
            "mean loss from": loss, "to": last_loss,
            "mean risk from": risk, "then to": last_risk,
        },
    )  # fmt: skip


def one_is_better(studies: Sequence[FilesStudy]) -> Claim:
    """Figure 3.5: the scores of the first study are below those of the others."""
    means = [[scores.mean for scores in study.scores[1:]] for study in studies]
    better = [one < min(others) for one, *others in zip(*means, strict=False)]
    return Claim(
        "one operator a generation is better than both tests during all generations",
        all(better),
        {"percent of the generations": 100.0 * sum(better) / max(1, len(better))},
    )


def fewer_categories_less_balanced(studies: Mapping[str, FilesStudy]) -> Claim:
    """Figure 3.6: the data sets with the least balanced final files."""
    apart = {name: _apart(study.last) for name, study in studies.items()}
    few = [apart[name] for name in (FLARE, GERMAN)]
    many = [value for name, value in apart.items() if name not in (FLARE, GERMAN)]
    return Claim(
        "last files of Solar flare and German credit are less balanced than those of the others",
        min(few) > max(many),
        {f"points between loss and risk, {name}": value for name, value in apart.items()},
    )


def more_balanced(by_worst: FilesStudy, by_mean: FilesStudy) -> Claim:
    """Figure 3.8: the worst of loss and risk gives balanced files."""
    first, last, other = _apart(by_worst.first), _apart(by_worst.last), _apart(by_mean.last)
    return Claim(
        "last files are more balanced than first ones, and than those of the mean score",
        last < min(first, other),
        {"points between loss and risk": last, "at first": first, "by the mean score": other},
    )


def has_a_hole(holed: FilesStudy, whole: FilesStudy) -> Claim:
    """Figures 3.10 and 3.11: balanced files are missing at first and reappear."""
    first, last = (min(map(max, files)) for files in (holed.first, holed.last))
    usual, usual_last = (min(map(max, files)) for files in (whole.first, whole.last))
    return Claim(
        "first files have a hole where loss and risk are balanced; last ones are as with all",
        first > usual and last - usual_last < first - usual,
        {
            "smallest worst score at first": first, "with all": usual,
            "at last": last, "and with all": usual_last,
        },
    )  # fmt: skip


def _means(files: Sequence[Fitness]) -> tuple[float, float]:
    losses, risks = zip(*files, strict=True)
    return mean(losses), mean(risks)


def _apart(files: Sequence[Fitness]) -> float:
    return mean(abs(loss - risk) for loss, risk in files)
