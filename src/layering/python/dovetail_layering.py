"""Render layered documents with dovetail, by the calls of Airship Deckhand's engine.

DocumentLayering and DocumentValidation take and return documents as dicts and run the program
dovetail, which must be in PATH, or be named by the environment variable DOVETAIL. Programs that
import deckhand.engine.layering run unchanged with

    python3 -m dovetail_layering PROGRAM [ARGUMENT...]

or after install(). Only Python's standard library is needed, 3.6 or later.
"""

import datetime
import json
import logging
import os
import re
import runpy
import shutil
import subprocess
import sys
import types

LOG = logging.getLogger(__name__)

_POLICY = 'deckhand/LayeringPolicy/v1'
_DATA_SCHEMA = 'deckhand/DataSchema/v1'


class DeckhandException(Exception):
    """Documents are refused. error_list has what is wrong, one dict an error."""

    code = 500
    msg_fmt = 'the documents are refused'

    def __init__(self, message=None, error_list=None, code=None):
        self.error_list = list(error_list or [])
        self.message = message or self.msg_fmt
        if code is not None:
            self.code = code
        super().__init__(self.message)


def _classes():
    codes = {
        'InvalidDocumentFormat': 400, 'InvalidDocumentLayer': 400, 'InvalidDocumentParent': 400,
        'IndeterminateDocumentParent': 400, 'InvalidDocumentReplacement': 400,
        'MissingDocumentKey': 400, 'MissingDocumentPattern': 400,
        'SubstitutionDependencyCycle': 400, 'SubstitutionSourceDataNotFound': 400,
        'SubstitutionSourceNotFound': 409, 'LayeringPolicyNotFound': 409,
        'DuplicateDocumentExists': 409, 'SingletonDocumentConflict': 409,
    }
    return {name: type(name, (DeckhandException,), {'code': code, '__module__': __name__})
            for name, code in codes.items()}


_CLASSES = _classes()
globals().update(_CLASSES)


class DocumentLayering:
    """Renders documents, which are not changed.

    validate=False does not check rendered data against the DataSchemas. With
    fail_on_missing_sub_src=False, substitutions whose source, or the value in it, does not exist
    are skipped with a warning. Secrets are rendered in cleartext. Other arguments of Deckhand are
    about encrypted references, which dovetail does not have; they are refused unless they are empty.
    """

    def __init__(self, documents, validate=True, fail_on_missing_sub_src=True,
                 encryption_sources=None, cleartext_secrets=True):
        if encryption_sources:
            raise ValueError('dovetail_layering cannot resolve encryption_sources: '
                             'give the documents with their secrets')
        self._documents = list(documents)
        self._validate = validate
        self._allow_missing = not fail_on_missing_sub_src

    def render(self):
        """Returns the rendered documents: concrete, not replaced, and no ValidationPolicies."""
        schemas = []
        documents = self._documents
        if not self._validate:
            schemas = [d for d in documents if _schema(d) == _DATA_SCHEMA]
            documents = [d for d in documents if _schema(d) != _DATA_SCHEMA]
        if not documents:
            return [_copy(d) for d in schemas]
        # The older engine refuses other parents, and merges at an index unless its policy says otherwise.
        flags = ['--strict-parents']
        if not any('arrayIndex' in _data(d) for d in documents if _schema(d) == _POLICY):
            flags.append('--array-index=element')
        if self._allow_missing:
            flags.append('--allow-missing-sources')
        return _run('render', documents, flags) + [_copy(d) for d in schemas]


class DocumentValidation:
    """Checks documents, rendered or not, against the DataSchemas among them."""

    def __init__(self, documents, existing_data_schemas=None, pre_validate=True):
        documents = [documents] if isinstance(documents, dict) else list(documents)
        self._documents = documents
        self._schemas = list(existing_data_schemas or [])
        # pre_validate is about the format, which is always checked

    def validate_all(self):
        """Returns a list with one validation: its name, its status and its errors."""
        layered, found = [], {}
        for number, document in enumerate(self._documents):
            if _schema(document) in (_POLICY, _DATA_SCHEMA) or _is_control(document):
                continue
            # As it is: what it inherits and substitutes is in it, if it was rendered. Its number
            # makes the name unique, since documents of other layers may have the same.
            alone = _copy(document)
            metadata = alone.get('metadata')
            if isinstance(metadata, dict):
                metadata['name'] = 'document-%d' % number
                metadata.pop('substitutions', None)
                metadata.pop('replacement', None)
                if isinstance(metadata.get('layeringDefinition'), dict):
                    metadata['layeringDefinition'].pop('parentSelector', None)
                    metadata['layeringDefinition'].pop('actions', None)
            found['document-%d' % number] = document
            layered.append(alone)
        control = [d for d in self._documents if _is_control(d)]
        names = {_name(d) for d in control if _schema(d) == _DATA_SCHEMA}
        control += [d for d in self._schemas if _name(d) not in names]
        control = [d for d in control if _schema(d) != _POLICY]
        layers = sorted({_layer(d) for d in layered if isinstance(_layer(d), str)})
        policy = {'schema': _POLICY, 'metadata': {'schema': 'metadata/Control/v1', 'name': 'layering-policy'},
                  'data': {'layerOrder': layers or ['site']}}
        errors = []
        try:
            _run('lint', [policy] + control + layered, [])
        except DeckhandException as refused:
            if not refused.error_list:
                raise
            for error in refused.error_list:
                document = found.get((error.get('document') or {}).get('name'))
                errors.append(_failure(error, document))
        return [{'name': 'deckhand-schema-validation', 'status': 'failure' if errors else 'success', 'errors': errors}]


def _failure(error, document):
    failure = {'message': error['message'], 'error_section': error.get('path', ''), 'path': error.get('path', '')}
    of = error.get('document') or {}
    failure['schema'], failure['name'], failure['layer'] = of.get('schema'), of.get('name'), of.get('layer')
    if document is not None:
        failure['schema'], failure['name'], failure['layer'] = _schema(document), _name(document), _layer(document)
    for name in ('class', 'remedy'):
        if error.get(name):
            failure[name] = error[name]
    return failure


def _schema(document):
    return document.get('schema') if isinstance(document, dict) else None


def _data(document):
    data = document.get('data')
    return data if isinstance(data, dict) else {}


def _metadata(document):
    metadata = document.get('metadata') if isinstance(document, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _name(document):
    return _metadata(document).get('name')


def _layer(document):
    definition = _metadata(document).get('layeringDefinition')
    return definition.get('layer') if isinstance(definition, dict) else None


def _is_control(document):
    return str(_metadata(document).get('schema')).startswith('metadata/Control/')


def _copy(document):
    return json.loads(_dump(document))


# What JSON has in texts as it is, and YAML only escaped.
_UNPRINTABLE = re.compile('[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')


def _dump(document):
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as cause:
        message = 'the document %s %s cannot be written as JSON: %s' % (_schema(document), _name(document), cause)
        raise _CLASSES['InvalidDocumentFormat'](message, [{'class': 'InvalidDocumentFormat', 'message': message}]) from cause
    return _UNPRINTABLE.sub(lambda match: '\\u%04x' % ord(match.group()), text)


def _plain(thing):
    """What YAML readers of Python make of timestamps becomes the text again."""
    if isinstance(thing, (datetime.date, datetime.datetime)):
        return thing.isoformat()
    if isinstance(thing, dict):
        return dict(thing)
    raise TypeError('%s is no value of a document' % type(thing).__name__)


def _run(verb, documents, flags):
    program = os.environ.get('DOVETAIL', 'dovetail')
    stream = '\n---\n'.join(_dump(d) for d in documents)
    try:
        done = subprocess.run([program, 'layering', verb, '-f', '-', '-o', 'json'] + flags, input=stream.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as cause:
        raise DeckhandException('the program %s cannot be run (%s): install dovetail, or name it by the '
                                'environment variable DOVETAIL' % (program, cause.strerror)) from cause
    said = done.stderr.decode(errors='replace').strip()
    if done.returncode == 0:
        if said:
            LOG.warning('%s', said)
        return json.loads(done.stdout.decode())
    try:
        errors = json.loads(done.stdout.decode())['errors']
    except (ValueError, KeyError, TypeError):
        raise DeckhandException('dovetail ends with %d: %s' % (done.returncode, said)) from None
    refused = _CLASSES.get(errors[0]['class'], DeckhandException)
    raise refused('\n'.join('%s: %s' % (_subject(e), e['message']) for e in errors), errors)


def _subject(error):
    of = error.get('document')
    return '%s %s' % (of['schema'], of['name']) if of else error['class']


def install():
    """Makes this module what programs get that import Deckhand's engine."""
    def module(name, **members):
        made = types.ModuleType(name, __doc__)
        made.__dict__.update(members)
        sys.modules[name] = made
        return made

    layering = module('deckhand.engine.layering', DocumentLayering=DocumentLayering)
    validation = module('deckhand.engine.document_validation', DocumentValidation=DocumentValidation)
    errors = module('deckhand.errors', DeckhandException=DeckhandException, **_CLASSES)
    engine = module('deckhand.engine', layering=layering, document_validation=validation, __path__=[])
    module('deckhand', engine=engine, errors=errors, __path__=[])


def _main():
    if len(sys.argv) < 2:
        sys.exit('usage: python3 -m dovetail_layering PROGRAM [ARGUMENT...]')
    program = shutil.which(sys.argv[1]) or sys.argv[1]
    if not os.path.isfile(program):
        sys.exit('dovetail_layering: there is no program %s' % sys.argv[1])
    # What the program imports must be this module, not that of __main__.
    import dovetail_layering  # pylint: disable=import-self
    dovetail_layering.install()
    sys.argv = [program] + sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name='__main__')


if __name__ == '__main__':
    _main()
