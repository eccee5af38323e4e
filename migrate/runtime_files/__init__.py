"""The files of the runtime package ``tf2_recovery`` that programs need, and where they are put."""
