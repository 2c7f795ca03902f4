import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { listOverrides } from './overrides.server'
import { listRules, switchRule } from './rules.server'
import { ANSWER_TABLES } from './rules/warning'

const off = {
  table: 'interaction',
  rule: 'warfarin-nsaid',
  isOn: false,
  reason: 'INR is measured at each visit here',
} as const

describe('switching a rule off', () => {
  test('silences it for everybody, is shown with who and why, counted where a check ran, and audited', async ({
    make,
    as,
    asUser,
    db,
  }) => {
    const [patient, clinic] = [await make.patient({ sex: 'male' }), await make.clinic()]
    const [warfarin, ibuprofen] = [
      await make.drug({ generic_name: 'Warfarin', ingredients: ['warfarin'], route: 'oral' }),
      await make.drug({ generic_name: 'Ibuprofen', ingredients: ['ibuprofen'], route: 'oral' }),
    ]
    const admin = asUser(await make.user({ role: 'super_admin', name: 'Huda' }))
    const check = () =>
      checkDrugs(as('super_admin', { [clinic.id]: ['can_prescribe_medications'] }), {
        patientId: patient.id,
        drugIds: [warfarin.id, ibuprofen.id],
      })
    const ruleOf = async () => {
      const { tables } = await listRules(admin, {})
      return tables
        .find(({ table }) => table === off.table)!
        .rows.find(({ id }) => id === off.rule)!
    }
    const reminder = { kind: 'monitoring', rule: 'warfarin' }
    expect((await check()).warnings).toMatchObject([{ rule: 'warfarin-nsaid' }, reminder])
    expect(await ruleOf()).toMatchObject({
      off: null,
      level: 'avoid',
      source: { url: expect.stringMatching(/^http/) },
    })

    const id = uuidv7()
    await switchRule(admin, { ...off, id })
    await switchRule(admin, { ...off, reason: 'Once more, by another user' })
    expect(await check()).toMatchObject({ warnings: [reminder], scope: { off: 1 } })
    expect((await ruleOf()).off).toMatchObject({ by: 'Huda', reason: off.reason })
    expect(await auditOf(db, id)).toHaveLength(1)

    await switchRule(admin, { table: off.table, rule: off.rule, isOn: true })
    expect(await check()).toMatchObject({
      warnings: [{ rule: 'warfarin-nsaid' }, reminder],
      scope: { off: 0 },
    })
    expect((await ruleOf()).off).toBeNull()
    expect((await auditOf(db, id)).at(-1)).toMatchObject({
      changes: { switched_on_at: [null, expect.anything()] },
    })
  })

  test('is for administrators of the installation, wants a reason and a rule that is there', async ({
    as,
    db,
  }) => {
    await expect(switchRule(as('admin'), off)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await listRules(as('admin'), {})).maySwitch).toBe(false)
    const admin = as('super_admin')
    await expect(switchRule(admin, { ...off, reason: 'too short' })).rejects.toMatchObject({
      fields: { reason: { key: 'safety.rules.reasonShort' } },
    })
    await expect(switchRule(admin, { ...off, rule: 'nothing' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const row = { rule_table: 'interaction', rule: 'x', reason: 'short' }
    const bad = db.insertInto('safety_rules_off').values({ ...row, id: uuidv7() })
    expect(await brokenRule(db, bad)).toBe('safety_rules_off_reason_check')
  })
})

test('a check has the answer of each list about each medicine', async ({ make, as }) => {
  const [patient, clinic, drug] = [await make.patient(), await make.clinic(), await make.drug()]
  const me = as('super_admin', { [clinic.id]: ['can_prescribe_medications'] })
  const { scope } = await checkDrugs(me, { patientId: patient.id, drugIds: [drug.id] })
  expect(scope.medicines.map(({ drugId }) => drugId)).toEqual([drug.id])
  expect(scope.medicines[0]!.answers.map(({ table }) => table)).toEqual(ANSWER_TABLES)
})

test('an override that was kept before the tables had levels is still listed', async ({
  make,
  as,
  db,
}) => {
  const [patient, clinic, drug] = [await make.patient(), await make.clinic(), await make.drug()]
  const warning = {
    key: 'interaction:a:b:ssri-mao',
    kind: 'interaction',
    drugId: drug.id,
    drug: 'A',
    other: 'B',
    ingredient: 'a',
    otherIngredient: 'b',
    rule: 'ssri-mao',
    effect: 'serotoninSyndrome',
  }
  const row = {
    patient_id: patient.id,
    clinic_id: clinic.id,
    drug_id: drug.id,
    stage: 'prescribing',
    kind: 'interaction',
    reason: 'ok!',
  }
  await db
    .insertInto('safety_overrides')
    .values({ ...row, id: uuidv7(), warning: JSON.stringify(warning) })
    .execute()
  const { rows } = await listOverrides(as('super_admin', { [clinic.id]: ['is_clinic_admin'] }), {
    clinicId: clinic.id,
  })
  expect(rows).toMatchObject([{ warning, reason_code: 'other' }])
  const coded = db
    .insertInto('safety_overrides')
    .values({ ...row, id: uuidv7(), reason_code: 'benefit', warning: '{}' })
  expect(await brokenRule(db, coded)).toBe('safety_overrides_reason_length_check')
})
