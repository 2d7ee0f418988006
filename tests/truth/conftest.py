# SPDX-License-Identifier: MIT
"""Fixtures of the truth tests alone."""
import pytest

from stage import Stage


@pytest.fixture
def stage(run_assay, room):
    """Processes that do what the test tells them, and assay attached to them."""
    stage = Stage(run_assay, room)
    yield stage
    stage.close()
