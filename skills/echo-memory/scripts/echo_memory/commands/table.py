"""The commands: all of them, in the order in which help lists them."""

from __future__ import annotations

from echo_memory.commands import operating as operator_commands
from echo_memory.commands import reading as read_commands
from echo_memory.commands import writing as write_commands

COMMANDS = (*read_commands.COMMANDS, *write_commands.COMMANDS, *operator_commands.COMMANDS)
BY_NAME = {command.name: command for command in COMMANDS}
