"""Tests of dovetail_layering on documents that Deckhand rendered or refused.

TESTDATA is the directory of these, DOVETAIL the program. TestPythonModule of src/cmd/dovetail runs them.
"""

import copy
import datetime
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import yaml

import dovetail_layering
from dovetail_layering import DeckhandException, DocumentLayering, DocumentValidation

TESTDATA = os.environ['TESTDATA']

# What is accepted here, as docs/layering.md says.
ACCEPTED = {'108-err-no-storage-policy'}


def load(*path):
    with open(os.path.join(TESTDATA, *path), encoding='utf-8') as file:
        return list(yaml.safe_load_all(file))


def identity(document):
    metadata = document['metadata']
    return document['schema'], metadata['name'], metadata.get('layeringDefinition', {}).get('layer')


def applications(documents):
    """The data of application documents; expectations have no others, and do not say so."""
    return {identity(d): d['data'] for d in documents if not d['metadata'].get('schema', '').startswith('metadata/Control/')}


def policy(**data):
    data.setdefault('layerOrder', ['global', 'site'])
    return {'schema': 'deckhand/LayeringPolicy/v1', 'metadata': {'schema': 'metadata/Control/v1', 'name': 'policy'}, 'data': data}


def document(name, data, layer='site', schema='example/Kind/v1', labels=None, **metadata):
    definition = {'layer': layer}
    for member in ('parentSelector', 'actions', 'abstract'):
        if member in metadata:
            definition[member] = metadata.pop(member)
    return {'schema': schema, 'data': data, 'metadata': dict(
        metadata, schema='metadata/Document/v1', name=name, layeringDefinition=definition, labels=labels or {})}


def data_schema(name, **data):
    return {'schema': 'deckhand/DataSchema/v1', 'metadata': {'schema': 'metadata/Control/v1', 'name': name}, 'data': data}


class Cases(unittest.TestCase):
    """The cases that the older engine was asked."""

    def test_cases(self):
        cases = load('cases.yaml')[0]['cases']
        self.assertEqual(len(cases), 111)
        for case in cases:
            if case['id'] in ACCEPTED:
                continue
            with self.subTest(case['id']):
                documents = load('cases', case['id'], 'documents.yaml')
                before = copy.deepcopy(documents)
                expected = case.get('expected_error')
                if expected:
                    refusal = load('cases', case['id'], 'expected-error.yaml')[0]
                    with self.assertRaises(DeckhandException) as refused:
                        DocumentLayering(documents).render()
                    # Without a server a duplicate is a fault of the input.
                    self.assertEqual(type(refused.exception).__name__, refusal.get('engine_error', refusal['error']))
                    self.assertTrue(refused.exception.error_list)
                    continue
                want = load('cases', case['expected']) if case.get('expected') else []
                got = DocumentLayering(documents).render()
                self.assertEqual(documents, before)
                self.assertEqual(applications(got), applications(want))

    def test_sites(self):
        """Real sites give what the command line gives, and every document of the older engine."""
        for site in ('airskiff', 'airsloop'):
            with self.subTest(site):
                file = os.path.join(TESTDATA, 'real-sites', site, 'documents.yaml')
                got = DocumentLayering(load('real-sites', site, 'documents.yaml'), validate=True, fail_on_missing_sub_src=True).render()
                with open(file, 'rb') as documents:
                    command = subprocess.run([os.environ['DOVETAIL'], 'layering', 'render', '-f', '-', '--array-index=element'],
                                             stdin=documents, stdout=subprocess.PIPE, check=True)
                self.assertEqual(applications(got), applications(yaml.safe_load_all(command.stdout)))
                self.assertEqual(set(applications(got)), set(applications(load('real-sites', site, 'expected.yaml'))))


class Rendering(unittest.TestCase):

    def test_missing_source(self):
        documents = [policy(), document('a', {'x': 1}, substitutions=[
            {'src': {'schema': 'example/Kind/v1', 'name': 'nobody', 'path': '.'}, 'dest': {'path': '.y'}}])]
        with self.assertRaises(dovetail_layering.SubstitutionSourceNotFound) as refused:
            DocumentLayering(documents).render()
        self.assertEqual(refused.exception.code, 409)
        self.assertEqual(refused.exception.error_list[0]['document']['name'], 'a')
        with self.assertLogs('dovetail_layering', 'WARNING') as logged:
            rendered = DocumentLayering(documents, fail_on_missing_sub_src=False).render()
        self.assertEqual(applications(rendered), {('example/Kind/v1', 'a', 'site'): {'x': 1}})
        self.assertIn('SubstitutionSourceNotFound', logged.output[0])

    def test_validate(self):
        documents = [policy(), data_schema('example/Kind/v1', properties={'x': {'type': 'string'}}), document('a', {'x': 1})]
        with self.assertRaises(dovetail_layering.InvalidDocumentFormat):
            DocumentLayering(documents).render()
        rendered = DocumentLayering(documents, validate=False).render()
        self.assertEqual({d['schema'] for d in rendered}, {d['schema'] for d in documents})

    def test_index(self):
        """The older engine merges the one item; a policy may say otherwise."""
        documents = [document('p', {'a': [{'x': 1}]}, layer='global', labels={'k': 'v'}),
                     document('c', {'a': [{'y': 2}]}, parentSelector={'k': 'v'}, actions=[{'method': 'merge', 'path': '.a[0]'}])]
        for order, want in ((policy(), [{'x': 1, 'y': 2}]), (policy(arrayIndex='append'), [{'x': 1}, {'y': 2}])):
            rendered = applications(DocumentLayering([order] + documents).render())
            self.assertEqual(rendered['example/Kind/v1', 'c', 'site'], {'a': want})

    def test_texts(self):
        """Every text arrives as it is."""
        texts = {'b': '\x00\x1f\x7f\x85\u2028\ufeff\U0001f600"\\/ ---\n', '\u00e4': ['', 'yes', '0755', '12:30:45'], 'big': 10 ** 20}
        rendered = DocumentLayering([policy(), document('a', texts)]).render()
        self.assertEqual(applications(rendered)['example/Kind/v1', 'a', 'site'], texts)

    def test_values_of_yaml(self):
        rendered = DocumentLayering([policy(), document('a', {'day': datetime.date(2020, 1, 2)})]).render()
        self.assertEqual(applications(rendered)['example/Kind/v1', 'a', 'site'], {'day': '2020-01-02'})
        for broken in ({1, 2}, float('nan'), b'bytes'):
            with self.assertRaises(dovetail_layering.InvalidDocumentFormat) as refused:
                DocumentLayering([policy(), document('a', {'x': broken})]).render()
            self.assertIn('example/Kind/v1 a', str(refused.exception))

    def test_nothing(self):
        self.assertEqual(DocumentLayering([]).render(), [])

    def test_no_program(self):
        program, os.environ['DOVETAIL'] = os.environ['DOVETAIL'], '/nowhere/dovetail'
        self.addCleanup(os.environ.__setitem__, 'DOVETAIL', program)
        with self.assertRaisesRegex(DeckhandException, '/nowhere/dovetail .*DOVETAIL'):
            DocumentLayering([policy()]).render()

    def test_encryption_sources(self):
        with self.assertRaises(ValueError):
            DocumentLayering([policy()], encryption_sources={'a': 'b'})


class Validation(unittest.TestCase):

    schema = data_schema('example/Kind/v1', properties={'x': {'type': 'string'}}, additionalProperties=False)

    def validate(self, documents, **options):
        results = DocumentValidation(documents, **options).validate_all()
        self.assertEqual(len(results), 1)
        self.assertEqual(results[0]['status'], 'failure' if results[0]['errors'] else 'success')
        return results[0]['errors']

    def test_valid(self):
        self.assertEqual(self.validate([self.schema, document('a', {'x': 'text'})]), [])

    def test_invalid(self):
        documents = [self.schema, document('a', {'x': 1}), document('a', {'x': 'text'}, layer='global'), document('b', {'y': 1})]
        errors = self.validate(documents)
        self.assertEqual([(e['name'], e['layer'], e['error_section']) for e in errors],
                         [('a', 'site', '/data/x'), ('b', 'site', '/data/y')])
        self.assertIn('string', errors[0]['message'])

    def test_existing_schemas(self):
        self.assertEqual(len(self.validate(document('a', {'x': 1}), existing_data_schemas=[self.schema], pre_validate=False)), 1)

    def test_rendered(self):
        """What a rendered document inherited and substituted is not asked for again."""
        documents = [policy(), self.schema, document('p', {'x': 'text'}, layer='global', labels={'k': 'v'}, abstract=True),
                     document('c', {}, parentSelector={'k': 'v'}, actions=[{'method': 'delete', 'path': '.z'}])]
        documents[2]['data']['z'] = 1
        self.assertEqual(self.validate(DocumentLayering(documents).render()), [])


class Programs(unittest.TestCase):

    def test_unchanged_program(self):
        """A program that imports Deckhand's engine runs unchanged."""
        with tempfile.TemporaryDirectory() as directory:
            program = os.path.join(directory, 'program')
            with open(program, 'w', encoding='utf-8') as file:
                file.write(textwrap.dedent('''\
                    import sys
                    import yaml
                    from deckhand import errors
                    from deckhand.engine import document_validation, layering
                    from deckhand.engine.layering import DocumentLayering
                    documents = list(yaml.safe_load_all(open(sys.argv[1])))
                    try:
                        rendered = layering.DocumentLayering(documents, fail_on_missing_sub_src=True, validate=True).render()
                        rendered = [dict(d) for d in rendered]
                        results = document_validation.DocumentValidation(rendered).validate_all()
                        print(len(rendered), [e for result in results for e in result['errors']])
                    except errors.DeckhandException as refused:
                        print(type(refused).__name__, len(refused.error_list))
                    '''))
            for case, want in (('001-seed-merge-root', '2 []\n'), ('055-empty-layers-are-skipped', None)):
                file = os.path.join(TESTDATA, 'cases', case, 'documents.yaml')
                done = subprocess.run([sys.executable, '-m', 'dovetail_layering', program, file],
                                      cwd=os.path.dirname(os.path.abspath(__file__)), stdout=subprocess.PIPE, check=True)
                if want:
                    self.assertEqual(done.stdout.decode(), want)
                else:
                    self.assertRegex(done.stdout.decode(), r'^\d+ \[\]\n$')


if __name__ == '__main__':
    unittest.main()
