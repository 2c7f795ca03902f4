import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { monitoring, checkMonitoring } from './monitoring'
import type { CheckedDrug } from './rule'
import { findWarnings } from '../warnings'

const medicine = (name: string, more: Partial<CheckedDrug> = {}): CheckedDrug => ({
  drugId: name,
  name,
  ingredients: [name],
  route: 'oral',
  ...more,
})
const rulesOf = (drug: CheckedDrug, taken: readonly CheckedDrug[] = []) =>
  checkMonitoring({ drugs: [drug], taken, patient: undefined }).map(({ rule }) => rule)

describe('each row', () => {
  test.for(monitoring.rows.map((row) => [row.id, row] as const))(
    '%s reminds of its medicines alone',
    ([id, row]) => {
      expect(row.members.map((name) => rulesOf(medicine(name)))).toEqual(
        row.members.map(() => [id]),
      )
      const others = monitoring.rows
        .filter((other) => other !== row)
        .flatMap(({ members }) => members)
      expect(others.flatMap((name) => rulesOf(medicine(name)))).not.toContain(id)
    },
  )

  test('is a caution, complete in three languages, with a dated source', () => {
    expect(monitoring.rows.length).toBeGreaterThan(20)
    for (const { level, why, before, again, source } of monitoring.rows) {
      expect(level).toBe('caution')
      for (const words of [why, again, ...(before ? [before] : [])])
        expect(
          LANGUAGES.filter((language) => !words[language].trim() || words[language].endsWith('.')),
        ).toEqual([])
      expect(source).toMatchObject({ date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) as string })
    }
  })
})

test('names why, what to measure before the start, and when again', () => {
  const [warning] = findWarnings([medicine('metformin hydrochloride')], [], [])
  expect(warning).toMatchObject({
    kind: 'monitoring',
    level: 'caution',
    text: {
      en: 'metformin hydrochloride needs monitoring: it accumulates when the kidneys are weak.',
      ar: 'الدواء metformin hydrochloride: يحتاج إلى متابعة؛ يتراكم عند ضعف الكلى.',
      es: 'metformin hydrochloride requiere seguimiento: se acumula cuando los riñones funcionan mal.',
    },
    todo: {
      en: 'Before the start: eGFR. During treatment: at least once a year, more often where kidney function may fall.',
    },
  })
})

test('knows the names of salts, and each medicine of a combination', () => {
  expect(rulesOf(medicine('lithium carbonate'))).toEqual(['lithium'])
  expect(rulesOf(medicine('sodium valproate'))).toEqual(['valproate'])
  expect(
    rulesOf(medicine('x', { ingredients: ['losartan potassium', 'hydrochlorothiazide'] })),
  ).toEqual(['arbs'])
})

test('says nothing about ordinary medicines', () => {
  const ordinary = [
    'paracetamol',
    'amoxicillin',
    'ibuprofen',
    'omeprazole',
    'amlodipine',
    'salbutamol',
    'cetirizine',
    'metronidazole',
    'azithromycin',
    'ferrous sulfate',
    'folic acid',
    'prednisolone',
    'atenolol',
    'loratadine',
    'simvastatin',
    'doxycycline',
    'albendazole',
    'furosemide',
    'hydrochlorothiazide',
    'insulin human',
    'ciprofloxacin',
    'zinc sulfate',
  ]
  expect(ordinary.flatMap((name) => rulesOf(medicine(name)))).toEqual([])
})

describe('only when a treatment starts', () => {
  const warfarin = medicine('warfarin')
  test('not for what the patient takes already, in another strength or brand as well', () => {
    expect(rulesOf(warfarin, [warfarin])).toEqual([])
    expect(rulesOf(warfarin, [medicine('Coumadin', { ingredients: ['warfarin sodium'] })])).toEqual(
      [],
    )
    expect(rulesOf(warfarin, [medicine('warfarin', { standing: 'recorded' })])).toEqual([])
  })

  test('not for a refill, nor for what a form or a list records', () => {
    expect(rulesOf({ ...warfarin, isContinued: true })).toEqual([])
    expect(rulesOf({ ...warfarin, standing: 'recorded' })).toEqual([])
  })

  test('but again after the treatment ended, and for another medicine of the same row', () => {
    expect(
      rulesOf(medicine('amiodarone'), [medicine('amiodarone', { standing: 'ended' })]),
    ).toEqual(['amiodarone'])
    expect(rulesOf(medicine('lisinopril'), [medicine('enalapril')])).toEqual(['ace_inhibitors'])
    expect(rulesOf(warfarin, [medicine('digoxin')])).toEqual(['warfarin'])
  })

  test('not for drops and ointments', () => {
    expect(rulesOf(medicine('gentamicin', { route: 'ophthalmic' }))).toEqual([])
    expect(rulesOf(medicine('gentamicin', { route: 'injection' }))).toEqual(['gentamicin'])
  })
})
