"""The rules, one a file, in folders by subject; ``RULES`` holds them in the order of their codes.

A file is imported when its rule is first used, because most programs do not need most rules.
"""

import importlib
from collections.abc import Iterator, Mapping

from migrate.rules.rule import REGISTERED
from migrate.rules.rule import Rule as Rule

PLACES = {
    "FT138": "names.contrib_names",
    "FT142": "names.model_to_estimator",
    "FT151": "names.object_form",
    "FT152": "run_config.visible_checkpoints",
    "FT153": "names.dataset_made_outside",
    "FT192": "names.tensorflow_1_import",
    "FT194": "names.several_files",
    "FT198": "names.missing_names",
    "FT199": "names.names_without_an_estimator",
    "FT201": "keras.resume_before_fit",
    "FT203": "keras.saved_directory",
    "FT204": "keras.missing_in_keras",
    "FT205": "keras.refused_by_keras",
    "FT206": "keras.whole_model",
    "FT301": "sessions.saving_session",
    "FT401": "workers.multi_worker_strategy",
    "FT404": "workers.fit_under_workers",
    "FT406": "workers.horovod_program",
    "FT501": "hazards.load_checkpoint",
    "FT502": "hazards.restore_status",
    "FT503": "hazards.never_restored",
    "FT505": "hazards.backup_settings",
    "FT509": "hazards.loop_from_first_turn",
    "FT513": "hazards.removed_model_dir",
    "FT514": "hazards.subclassed_model",
    "FT517": "hazards.replaced_state",
    "FT518": "hazards.unsaved_optimizer",
    "FT520": "hazards.forgotten_best",
    "FT521": "hazards.never_saved",
}
"""The folder and file of each rule; the file has the rule's name."""

CODES = {place.partition(".")[2]: code for code, place in PLACES.items()}
"""The codes of the rules by their names."""

ESTIMATOR_WORDS = {
    **dict.fromkeys(("several_files", "horovod_program"), ()),
    "model_to_estimator": ("model_to_estimator",),
    "object_form": (),
    "contrib_names": ("contrib",),
    "tensorflow_1_import": (),
    "dataset_made_outside": ("make_one_shot_iterator", "constant"),
    **dict.fromkeys(("visible_checkpoints", "missing_names"), ()),
}
"""The rules for Estimator programs, in the order in which they run: each reads the replacements of those before it.

A file of the program must contain one of a rule's words, or the rule is not run.
"""

SITE_WORDS = {
    "names_without_an_estimator": ("stimator",),
    "resume_before_fit": ("load_weights", "load_model", "restore", "initial_epoch"),
    "saved_directory": ("fit",),
    "saving_session": ("Saver", "MonitoredTrainingSession", "Supervisor"),
    "multi_worker_strategy": ("Strategy",),
    "fit_under_workers": ("Strategy",),
    "load_checkpoint": ("load_checkpoint",),
    "restore_status": ("Checkpoint", "restore", "load_weights"),
    **dict.fromkeys(("never_restored", "loop_from_first_turn", "subclassed_model"), ("Checkpoint",)),
    **dict.fromkeys(("replaced_state", "unsaved_optimizer"), ("Checkpoint",)),
    **dict.fromkeys(("forgotten_best", "never_saved"), ("Checkpoint",)),
    "backup_settings": ("BackupAndRestore",),
    "removed_model_dir": ("rmtree", "elete_recursively", "DeleteRecursively"),
    **dict.fromkeys(("missing_in_keras", "refused_by_keras", "whole_model"), ()),
}
"""The rules for single sites, each with words of which a file must contain one, or the rule is not run."""

PROGRAM_WORD_RULES = frozenset({"resume_before_fit"})
"""Rules for single sites whose words may be in any file of the program."""

FINAL_RULES = frozenset({"missing_in_keras", "refused_by_keras", "whole_model"})
"""Rules that run last, and only over a file that has a recovery or that another rule rewrites."""

FINAL_ESTIMATOR_RULES = FINAL_RULES - {"missing_in_keras"}
"""Those of ``FINAL_RULES`` that also run over a rewritten Estimator program, whose names FT198 judges."""


class _Rules(Mapping[str, Rule]):
    def __getitem__(self, code: str) -> Rule:
        if code not in REGISTERED:
            importlib.import_module(f"{__name__}.{PLACES[code]}")
        return REGISTERED[code]

    def __contains__(self, code: object) -> bool:
        return code in PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


RULES = _Rules()
