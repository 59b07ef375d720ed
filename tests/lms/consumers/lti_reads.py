"""Run in the consumers' environment: lti-consumer-xblock's own serializer reads SCORE.json.

Prints what it understood as JSON; status 1 where it refuses.
"""

import json
import sys
from pathlib import Path

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "django.contrib.sites",
        "config_models",
        "lti_consumer",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    USE_TZ=True,
    SECRET_KEY="for this check alone",
)
django.setup()

from lti_consumer.lti_1p3.extensions.rest_framework.serializers import (  # noqa: E402
    LtiAgsScoreSerializer,
)

serializer = LtiAgsScoreSerializer(data=json.loads(Path(sys.argv[1]).read_text()))
if not serializer.is_valid():
    sys.exit(str(serializer.errors))
print(json.dumps(serializer.validated_data, default=str))
