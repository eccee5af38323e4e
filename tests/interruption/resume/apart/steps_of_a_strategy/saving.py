"""Where the job saves: the folder and the name's parts are the caller's."""


def save_weights(model, folder, parts):
    def write(name):
        options = "-".join([name, *parts]) + ".weights.h5"
        model.save_weights(f"{folder}/{options}")

    write("net")
