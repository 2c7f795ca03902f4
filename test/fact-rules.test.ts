import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * docs/rules.md, "One rule for each fact": every other SQL and component asks the rule. Each fact has the texts that
 * test its columns, and the only files that may, with the reason.
 */
type Rule = { tests: RegExp; in: Record<string, string> }

const AN_END = 'says when it ended, or what is saved with it'
const RULES: Record<string, Rule> = {
  'has a problem now': {
    tests:
      /\b(clinical|verification)_status'?\)?,? *'?(<>|!==|===|=|not in|in)'?,? *[[('"]|\['active', 'unknown'\]/g,
    in: {
      'records/problem.ts': 'the rule, of what is read',
      'features/care/problem-codes/diagnosed.server.ts': 'the rule, in SQL',
      'features/care/programs/enrolment-rows.server.ts': AN_END,
      'features/care/problems/problem.ts': AN_END,
      'features/care/problems/problems.server.ts': 'the word that another system used',
      'features/record/summary/SummaryParts.tsx': 'which status is worth a word',
      'features/record/timeline/Overview.tsx': 'which status is worth a word',
      'fhir/resources/condition.ts': 'an unknown status has no code in FHIR',
    },
  },
  diagnosed: {
    tests:
      /fieldType' *= *'diagnosis'|\b(from|join) patient_problems\b|(From|(inner|left)Join)\('patient_problems/g,
    in: {
      'features/care/problem-codes/diagnosed.server.ts': 'the rule, in SQL',
      'features/record/registers/registers.server.ts': 'asks the rule',
      'features/care/programs/enrolment-rows.server.ts': 'asks the rule',
      'features/care/problems/problems.server.ts': 'the record of a patient',
      'features/care/problem-codes/another-problem.server.ts': 'asks what the patient has now',
      'features/care/problem-codes/codes.server.ts': 'which codes users chose last',
      'features/medicines/prescriptions/sets/sets.server.ts': 'asks what the patient has now',
      'features/medicines/prescriptions/writing/problem.server.ts': 'asks what the patient has now',
      'features/medicines/safety/facts.server.ts': 'asks what the patient has now',
      'features/office/audit/audit.server.ts': 'the name of a row',
      'features/exchange/imports/undo/records.server.ts': 'what an import wrote',
      'fhir/resources/medication-request.ts': 'the problem that a prescription names',
      'db/schema/patients-named.sql': 'whose record a row is',
      'db/schema/timeline.sql': 'the record of a patient',
      'db/schema/follow-up.sql': 'whose follow-up is computed again',
      'db/schema/merges.sql': 'what a merge moves',
      'db/schema/appointments.sql': 'the last entry of a visit',
    },
  },
  'verified how': {
    tests: /'refuted'/g,
    in: {
      'records/problem.ts': 'the rule, and the choices',
      'records/allergy.ts': 'the choices',
      'features/care/problem-codes/diagnosed.server.ts': 'the rule, in SQL',
      'features/care/allergies/allergies.server.ts':
        'an allergy refutes the statement that there are none',
      'features/exchange/documents/read-allergy.ts': 'the words of a document',
      'features/exchange/documents/read-problem.ts': 'the words of a document',
      'features/exchange/documents/status.ts': 'the words of a document',
      'fhir/resources/allergy-intolerance.ts':
        'the rule of FHIR: who refuted it is recorded as a status',
      'fhir/summary.server.ts': 'a summary names no record that was refuted',
      'db/schema/patients.sql': 'a statement that there are none is refuted by an allergy',
      'db/schema/merges.sql': 'as the above, when records are merged',
      'db/schema/documents.sql': 'as the above, when a document is undone',
      'features/exchange/imports/hikma/care.ts': 'what was moved in',
      'features/exchange/imports/former-words.ts': 'the words of another system',
    },
  },
  'has an allergy now': {
    tests: /\bstatus'?,? *(<>|!==|===|=|'='|'<>'|'?(not )?in'?),? *[[(]?'active'/g,
    in: {
      'records/allergy.ts': 'the rule, of what is read',
      'features/care/allergies/allergies.server.ts':
        'the rule, in SQL, and what a save asks of an active one',
      'features/exchange/documents/read-medicine.ts': 'of a medicine in a document',
      'fhir/resources/allergy-intolerance.ts': 'the status of FHIR, and its search',
      'db/schema/patients.sql': 'an active allergy ends the statement that there are none',
      'db/schema/merges.sql': 'as the above, when records are merged',
      'db/schema/documents.sql': 'as the above, when a document is undone',
      'db/schema/clinics.sql': 'of a department',
      'features/exchange/imports/hikma/care.ts': 'what was moved in',
      'features/day/queue/turns.server.ts': 'of a department',
      'features/day/appointments/booking.server.ts': 'of a department',
      'features/office/clinics/departments.server.ts': 'of a department',
    },
  },
  pregnant: {
    tests:
      /(\b(from|join) |(selectFrom|(inner|left)Join)\(')(pregnancy_answers|patient_pregnancies)/g,
    in: {
      'db/schema/pregnancies.sql': 'the answers',
      'db/schema/patients-named.sql': 'whose record a row is',
      'features/care/pregnancies/pregnancies.server.ts': 'reads the answers for `pregnancyOn`',
      'features/care/programs/enrolment-rows.server.ts':
        'reads the answers of many patients for the program',
      'features/people/patients/lifetime/lifetime.server.ts':
        'asks whether a change of sex is meant',
    },
  },
  seen: {
    tests: /visit_is_empty\(|current_visit_id = (v|visits)\.id/g,
    in: {
      'db/schema/appointments.sql': 'the rule: `visit_only_waits`',
      'features/rules/transitions/day.server.ts':
        'an empty visit goes to the trash when its check-in is taken back',
    },
  },
  'stocked out': {
    tests:
      /(\bnot|!) ?[a-z]*\.?is_quarantined|is_quarantined[^\n]{0,12}(\bor\b|\band\b|&&|\|\|)|is_quarantined', '?(=|is)/g,
    in: {
      'features/medicines/inventory/usable.server.ts': 'the rule, in SQL',
      'features/reports/cells/sources/medicines.server.ts':
        'whether a batch was in quarantine on a past day',
    },
  },
  'open day': {
    tests: /distinct \(?[\w.]*clinic_id, [\w.]*day\)?|\(r0\.clinic_id, r0\.day\)/g,
    in: { 'features/reports/cells/scan.server.ts': 'the rule' },
  },
  'taken now': {
    tests:
      /\b(from|join) patient_medicines\b|(From|Join)\('patient_medicines|item_status[^\n]{0,30}'partially_dispensed'/g,
    in: {
      'features/medicines/prescriptions/check/taken-until.ts': 'the rule: what is still open',
      'features/medicines/prescriptions/check/taken.server.ts':
        'reads the medicines of many patients for the rule',
      'features/medicines/taken/current.server.ts': 'reads the medicines of a patient for the rule',
      'features/medicines/dispensing/queue.server.ts': 'what can be dispensed',
      'features/medicines/prescriptions/check/arrivals.server.ts': 'checks one row that arrived',
      'features/medicines/taken/medicines.server.ts':
        'the list of what is from elsewhere, by the rule',
      'features/medicines/taken/reconciliation.server.ts': 'whose record a row is',
      'features/office/audit/audit.server.ts': 'the name of a row',
      'db/schema/safety.sql': 'what must be checked again',
      'db/schema/tables.sql': 'what must be checked again',
      'db/schema/prescriptions.sql': 'keeps the status by what was dispensed',
      'db/schema/patients-named.sql': 'whose record a row is',
    },
  },
}

const sources = globSync('src/**/*.{ts,tsx,sql}')
  .filter((file) => !/\.test\.tsx?$|\.gen\.ts$|src\/db\/(migrations|types)/.test(file))
  .map((file) => ({ file: file.slice(4), text: readFileSync(file, 'utf8') }))

test.for(Object.entries(RULES))('nothing but its rule tests the columns of: %s', ([, rule]) => {
  const found = sources.filter(({ text }) => text.match(rule.tests)).map(({ file }) => file)
  expect(found.toSorted()).toEqual(Object.keys(rule.in).toSorted())
})

test('the page of rules names each fact with its rule, which exists', () => {
  const page = readFileSync('docs/rules.md', 'utf8')
  const [, table = ''] = /## One rule for each fact\n([\s\S]+?)\n## /.exec(page) ?? []
  const rows = table
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(rows.map(([, fact = '']) => fact).toSorted()).toEqual(Object.keys(RULES).toSorted())
  const names = rows.flatMap(([, , rule = '']) => [...rule.matchAll(/`([\w ":]+)`/g)])
  const all = sources.map(({ text }) => text).join('\n')
  expect(names.map(([, name]) => name).filter((name) => !all.includes(name!))).toEqual([])
  expect(names.length).toBeGreaterThan(rows.length - 1)
})
