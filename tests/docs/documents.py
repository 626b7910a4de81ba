"""Commands, options and code that the documents show."""
import re
import subprocess
from dataclasses import dataclass, field

OPTION = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*(?![\w*-]|\.\.\.)")  # not the prefix --vt_lb_*


@dataclass
class Command:
    place: str  # document:line
    text: str
    output: list = field(default_factory=list)  # lines shown after it


@dataclass
class Block:
    place: str  # document:line
    language: str  # word after the fence
    text: str
    file: str | None = None  # name under which the paragraph before the block tells the reader to save it


def paths_of(source):
    """The README and the pages."""
    return [source / "README.md", *sorted((source / "docs").rglob("*.md"))]


def blocks_of(path, name):
    """The fenced blocks of a document."""
    block, blocks, paragraph, previous = None, [], "", ""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        fence = re.match(r" *```(.*)", line)
        if fence and block:
            block, paragraph = None, ""
        elif fence:
            file = re.search(r"\b[Ss]ave [^`]*as `([^`]+)`", paragraph)
            block = Block(f"{name}:{number}", fence[1], "", file and file[1])
            blocks.append(block)
        elif block:
            block.text += line + "\n"
        elif line:
            paragraph = f"{paragraph} {line}" if previous else line
        previous = line
    return blocks


def commands_of(path, name):
    """The commands of a document: lines of code that begin with "$ "; indented ones that run plimsoll or an example."""
    language, command, commands = None, None, []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        fence = re.match(r"```(\w*)", line)
        if fence:
            language = fence[1] if language is None else None
            command = None
        elif language is not None and line.startswith(("$ ", "plimsoll ") if language in ("sh", "bash") else "$ "):
            command = Command(f"{name}:{number}", line.removeprefix("$ "))
            commands.append(command)
        elif language is not None and command:
            command.output.append(line.rstrip())
        elif language is None and re.match(r"    (?:\w+=\S+ )*(?:plimsoll|examples/\S+) ", line):
            commands.append(Command(f"{name}:{number}", line.strip()))
    for command in commands:
        while command.output and not command.output[-1]:
            command.output.pop()
    return commands


def steps_of(path, name):
    """What a reader does: the commands, and the blocks to save as files, in the order of the document."""
    steps = [*commands_of(path, name), *(block for block in blocks_of(path, name) if block.file)]
    return sorted(steps, key=lambda step: int(step.place.partition(":")[2]))


def mentions_of(path, name):
    """The commands in the running text: `plimsoll ...`."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield from (Command(f"{name}:{number}", text) for text in re.findall(r"`(plimsoll [^`]+)`", line))


def help_of(program, subcommand=()):
    """The help of the program, by subcommand, such as ("layout", "solve")."""
    text = subprocess.run([program, *subcommand, "--help"], check=True, capture_output=True, text=True).stdout
    helps = {subcommand: text}
    _, _, table = text.partition("\nSubcommands:\n")
    for name in re.findall(r"^  ([\w-]+) ", table, re.MULTILINE):
        helps.update(help_of(program, (*subcommand, name)))
    return helps


def options_in(text):
    """The options that a text names. The option --blocksize_ATM exists for each component."""
    return [re.sub("^--blocksize_[A-Z]{3}$", "--blocksize_ATM", option) for option in OPTION.findall(text)]


def options_of(helps, subcommand=()):
    """Options of a subcommand and of those below it. In options of layout, "-" and "_" are equal."""
    options = set()
    for name, text in helps.items():
        if name[:len(subcommand)] == subcommand:
            found = options_in(text.partition("\nUsage:")[2])
            options.update(found)
            if name[:1] == ("layout",):
                options.update("--" + option[2:].replace("_", "-") for option in found)
    return options


def problem_of_usage(command, helps):
    """Unknown subcommand or option in a command, or None. Options after "--" belong to other programs."""
    for part in re.split(r"[|>]|&&", command.partition(" -- ")[0]):
        words = part.split()
        if "plimsoll" not in words:
            continue
        words = words[words.index("plimsoll") + 1:]
        subcommand = ()
        while words and (*subcommand, words[0]) in helps:
            subcommand = (*subcommand, words.pop(0))
        if "Subcommands:" in helps[subcommand] and words and re.match(r"[a-z]", words[0]):
            return f'unknown subcommand "{words[0]}"'
        if not subcommand and words and not words[0].startswith("-"):
            continue  # <subcommand>
        known = options_of(helps, subcommand)
        for option in options_in(" ".join(words)):
            if option not in known:
                return f'unknown option "{option}" of plimsoll {" ".join(subcommand)}'
    return None
