"""Programs made by chance, and the promises that every one of them must keep; a command and a short test use both."""
