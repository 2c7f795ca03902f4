import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { deletePatientWithRecords } from '~/features/people/patients/deletions/deletions.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { getPatient, savePatient } from '~/features/people/patients/patients.server'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { brokenRule, test } from '../../../../test/harness'
import {
  deleteRelatedPerson,
  relatedPersonsOfPatient,
  saveRelatedPerson,
} from './related-persons.server'

const desk: Permission[] = ['can_register_patients']

const seen = async (ctx: Context, patientId: string) =>
  (await relatedPersonsOfPatient(ctx, { patientId })).map(({ relationship, name, other }) => [
    relationship,
    other?.id ?? name,
  ])

describe('family and contact persons', () => {
  test('a link is seen on both records, changed from either end, removed and restored', async ({
    as,
    make,
  }) => {
    const me = as('admin')
    const mother = await make.patient({ sex: 'female', phone: '0501112223' })
    const child = await make.patient({ sex: 'male' })
    const id = uuidv7()
    const link = {
      id,
      patient_id: child.id,
      relationship: 'mother' as const,
      related_patient_id: mother.id,
    }
    const saved = await saveRelatedPerson(me, link)
    expect(await saveRelatedPerson(me, link)).toEqual(saved)
    expect(await relatedPersonsOfPatient(me, { patientId: child.id })).toMatchObject([
      { id, relationship: 'mother', other: { id: mother.id, phone: '0501112223' } },
    ])
    expect(await seen(me, mother.id)).toEqual([['child', child.id]])

    // a note from the mother's record leaves her the mother
    const noted = await saveRelatedPerson(me, {
      id,
      last_modified: saved.last_modified,
      patient_id: mother.id,
      relationship: 'child',
      related_patient_id: child.id,
      notes: 'Lives with her',
    })
    expect(await seen(me, child.id)).toEqual([['mother', mother.id]])
    // and another relationship is what her record says
    await saveRelatedPerson(me, {
      id,
      last_modified: noted.last_modified,
      patient_id: mother.id,
      relationship: 'ward',
      related_patient_id: child.id,
    })
    expect(await seen(me, mother.id)).toEqual([['ward', child.id]])
    expect(await seen(me, child.id)).toEqual([['guardian', mother.id]])

    const { deletionId } = await deleteRelatedPerson(me, { id })
    expect([await seen(me, mother.id), await seen(me, child.id)]).toEqual([[], []])
    await restoreDeletion(me, { id: deletionId })
    expect(await seen(me, child.id)).toEqual([['guardian', mother.id]])
    // a deleted patient is not shown, and comes back with the link
    const deleted = await deletePatientWithRecords(me, { id: mother.id })
    expect(await seen(me, child.id)).toEqual([])
    await restoreDeletion(me, { id: deleted.deletionId })
    expect(await seen(me, child.id)).toEqual([['guardian', mother.id]])
  })

  test.for([
    ['mother', 'male', 'child'],
    ['father', null, 'child'],
    ['child', 'female', 'mother'],
    ['child', 'male', 'father'],
    ['child', 'unknown', 'parent'],
    ['spouse', 'female', 'spouse'],
    ['guardian', 'male', 'ward'],
    ['ward', 'male', 'guardian'],
    ['contact', 'male', 'contactOf'],
  ] as const)(
    '%s of a patient (%s) is on the other record: %s',
    async ([relationship, sex, inverse], { as, make }) => {
      const me = as('admin')
      const [one, other] = [await make.patient({ sex }), await make.patient({ sex: null })]
      await saveRelatedPerson(me, {
        id: uuidv7(),
        patient_id: one.id,
        relationship,
        related_patient_id: other.id,
      })
      expect(await seen(me, other.id)).toEqual([[inverse, one.id]])
    },
  )

  test('is a patient or a name, once, and says each fault beside its field', async ({
    as,
    make,
    db,
  }) => {
    const me = as('admin')
    const [one, other] = [await make.patient(), await make.patient()]
    const save = (values: object) =>
      saveRelatedPerson(me, { id: uuidv7(), patient_id: one.id, relationship: 'spouse', ...values })
    const faults = async (values: object) =>
      save(values).then(
        () => 'saved',
        (error: { fields: Record<string, { key: string }> }) =>
          Object.entries(error.fields).map(([name, { key }]) => `${name}: ${key}`),
      )
    expect(await faults({})).toEqual(['name: relatedPersons.nameOrPatient'])
    expect(await faults({ name: 'Ali', related_patient_id: other.id })).toEqual([
      'name: relatedPersons.oneOfBoth',
    ])
    expect(await faults({ phone: '1', related_patient_id: other.id })).toEqual([
      'phone: relatedPersons.phoneOfPatient',
    ])
    expect(await faults({ related_patient_id: one.id })).toEqual([
      'related_patient_id: relatedPersons.self',
    ])
    expect(await faults({ related_patient_id: uuidv7() })).toEqual([
      'related_patient_id: patients.notFound',
    ])
    expect(await faults({ name: 'Ali', relationship: 'cousin' })).toEqual([
      'relationship: validation.option',
    ])
    const man = await make.patient({ sex: 'male' })
    expect(await faults({ related_patient_id: man.id, relationship: 'mother' })).toEqual([
      'relationship: relatedPersons.recorded_male',
    ])
    expect(await faults({ related_patient_id: other.id })).toBe('saved')
    expect(await faults({ related_patient_id: other.id, relationship: 'guardian' })).toEqual([
      'related_patient_id: relatedPersons.linkedAlready',
    ])
    const insert = (values: object) =>
      brokenRule(
        db,
        db
          .insertInto('related_persons')
          .values({ id: uuidv7(), patient_id: one.id, relationship: 'child', ...values }),
      )
    expect(await insert({})).toBe('related_persons_one_check')
    expect(await insert({ related_patient_id: one.id })).toBe('related_persons_self_check')
    expect(await insert({ name: 'Ali', relationship: 'cousin' })).toBe(
      'related_persons_relationship_check',
    )
  })

  test('who may edit the patient may record; of a patient of another clinic only the relationship is shown', async ({
    as,
    asUser,
    make,
  }) => {
    const [here, there] = [await make.clinic(), await make.clinic()]
    const [one, hidden] = [
      await make.patient({ primary_clinic_id: here.id }),
      await make.patient({ primary_clinic_id: there.id }),
    ]
    const me = asUser(await make.user({ role: 'registrar' }), { [here.id]: desk })
    const stranger = as('registrar', { [there.id]: desk })
    const link = {
      patient_id: one.id,
      relationship: 'mother' as const,
      related_patient_id: hidden.id,
    }
    await expect(saveRelatedPerson(me, { id: uuidv7(), ...link })).rejects.toMatchObject({
      fields: { related_patient_id: { key: 'patients.notFound' } },
    })
    const id = uuidv7()
    await saveRelatedPerson(as('admin'), { id, ...link })
    expect(await relatedPersonsOfPatient(me, { patientId: one.id })).toMatchObject([
      { relationship: 'mother', isPatient: true, other: null, name: null },
    ])
    await expect(relatedPersonsOfPatient(stranger, { patientId: one.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    const reader = as('provider', { [here.id]: ['can_view_history'] })
    await expect(deleteRelatedPerson(reader, { id })).rejects.toMatchObject({ code: 'forbidden' })
    const outsider = as('registrar', { [(await make.clinic()).id]: desk })
    await expect(deleteRelatedPerson(outsider, { id })).rejects.toMatchObject({ code: 'not_found' })
    // from either end
    await deleteRelatedPerson(stranger, { id })
  })

  test('a merge moves both ends, keeps one of two equal links, and gives all back', async ({
    as,
    make,
  }) => {
    const me = as('admin')
    const [winner, loser, child, spouse] = await Promise.all([
      make.patient({ sex: 'female' }),
      make.patient({ sex: 'female' }),
      make.patient({ sex: 'male' }),
      make.patient({ sex: 'male' }),
    ])
    const link = (
      patient_id: string,
      relationship: 'mother' | 'child' | 'spouse' | 'contact',
      other: object,
    ) => saveRelatedPerson(me, { id: uuidv7(), patient_id, relationship, ...other })
    await link(child.id, 'mother', { related_patient_id: winner.id })
    await link(loser.id, 'child', { related_patient_id: child.id })
    await link(loser.id, 'spouse', { related_patient_id: spouse.id })
    await link(loser.id, 'contact', { related_patient_id: winner.id })
    await link(winner.id, 'contact', { name: 'Nadia', phone: '1' })
    await link(loser.id, 'contact', { name: ' nadia' })
    const before = [await seen(me, winner.id), await seen(me, loser.id), await seen(me, child.id)]
    const id = uuidv7()
    await mergePatients(me, { id, winnerId: winner.id, loserId: loser.id, choices: {} })
    expect(await seen(me, winner.id)).toEqual([
      ['child', child.id],
      ['spouse', spouse.id],
      ['contact', 'Nadia'],
    ])
    expect(await seen(me, child.id)).toEqual([['mother', winner.id]])
    await unmergePatients(me, { mergeId: id })
    expect([await seen(me, winner.id), await seen(me, loser.id), await seen(me, child.id)]).toEqual(
      before,
    )
  })
})

describe('a link and the two records fit together, whichever is changed', () => {
  test.for([
    ['mother', { date_of_birth: '2020-01-01' }, 'relatedPersons.parentYounger'],
    ['father', { sex: 'female' }, 'relatedPersons.recorded_female'],
    ['child', { date_of_birth: '1960-01-01' }, 'relatedPersons.childOlder'],
  ] as const)('%s %j: %s', async ([relationship, wrong, key], { as, make }) => {
    const me = as('admin')
    const sex = relationship === 'father' ? 'male' : 'female'
    const born = relationship === 'child' ? '2015-01-01' : '1960-01-01'
    const patient = await make.patient({ sex: 'male', date_of_birth: '1990-01-01' })
    const link = { id: uuidv7(), patient_id: patient.id, relationship }
    const odd = await make.patient({ sex, date_of_birth: born, ...wrong })
    await expect(
      saveRelatedPerson(me, { ...link, related_patient_id: odd.id }),
    ).rejects.toMatchObject({ fields: { relationship: { key } } })

    // from the other side: the link is there, and the other record is changed
    const right = await make.patient({
      sex,
      date_of_birth: born,
      given_name: 'Amal',
      surname: 'Haddad',
    })
    const linked = { ...link, related_patient_id: right.id }
    const saved = await saveRelatedPerson(me, linked)
    const { last_modified } = (await getPatient(me, { id: right.id })).patient
    const change = { id: right.id, last_modified, ...wrong }
    const [field] = Object.keys(wrong)
    await expect(savePatient(me, { ...change, confirmed: [] })).rejects.toMatchObject({
      text: { key: 'asked.against_record' },
      fields: { [field!]: { key: 'relatedPersons.contradictsOf' } },
    })
    await savePatient(me, { ...change, confirmed: ['against_record'] })

    // the link stays as it is while only its notes change, from either end, and is not made again
    const noted = await saveRelatedPerson(me, { ...linked, ...saved, notes: 'Lives far away' })
    const seenFromOther = {
      id: link.id,
      patient_id: right.id,
      relationship: relationship === 'child' ? ('father' as const) : ('child' as const),
      related_patient_id: patient.id,
    }
    const again = await saveRelatedPerson(me, { ...seenFromOther, ...noted, notes: 'Lives near' })
    expect(await relatedPersonsOfPatient(me, { patientId: patient.id })).toMatchObject([
      { relationship, notes: 'Lives near' },
    ])
    const other = await saveRelatedPerson(me, { ...linked, ...again, relationship: 'contact' })
    await expect(saveRelatedPerson(me, { ...linked, ...other })).rejects.toMatchObject({
      fields: { relationship: { key } },
    })
  })

  test('an age that may be right is not doubted', async ({ as, make }) => {
    const me = as('admin')
    const child = await make.patient({ date_of_birth: '1990-01-01' })
    const mother = await make.patient({
      sex: 'female',
      date_of_birth: '1990-06-01',
      metadata: '{"date_of_birth_precision":"age"}',
    })
    const link = { id: uuidv7(), patient_id: child.id, relationship: 'mother' as const }
    await saveRelatedPerson(me, { ...link, related_patient_id: mother.id })
  })

  test('a day that narrows a year is asked about as another day is', async ({ as, make }) => {
    const me = as('admin')
    const mother = await make.patient({ sex: 'female', date_of_birth: '2000-06-01' })
    const { id } = await make.patient({
      date_of_birth: '2000-01-01',
      metadata: '{"date_of_birth_precision":"year"}',
    })
    await saveRelatedPerson(me, {
      id: uuidv7(),
      patient_id: id,
      relationship: 'mother',
      related_patient_id: mother.id,
    })
    const born = async (date_of_birth: string) => {
      const { last_modified } = (await getPatient(me, { id })).patient
      return savePatient(me, { id, last_modified, date_of_birth, confirmed: [] })
    }
    await born('2000')
    await expect(born('2000-01-01')).rejects.toMatchObject({
      fields: { date_of_birth: { key: 'relatedPersons.contradictsOf' } },
    })
  })

  test('who does not know the relative learns no name', async ({ make, asUser }) => {
    const [here, there] = [await make.clinic(), await make.clinic()]
    const child = await make.patient({ date_of_birth: '1990-01-01', primary_clinic_id: here.id })
    const mother = await make.patient({
      sex: 'female',
      date_of_birth: '1960-01-01',
      primary_clinic_id: there.id,
    })
    const admin = asUser(await make.user({ role: 'admin' }))
    const link = { id: uuidv7(), patient_id: child.id, relationship: 'mother' as const }
    await saveRelatedPerson(admin, { ...link, related_patient_id: mother.id })
    const me = asUser(await make.user(), { [here.id]: desk })
    const { last_modified } = (await getPatient(me, { id: child.id })).patient
    const change = { id: child.id, last_modified, date_of_birth: '1950-01-01', confirmed: [] }
    const refused = await savePatient(me, change).catch((error: unknown) => Object(error).fields)
    expect(refused).toEqual({ date_of_birth: { key: 'relatedPersons.contradicts' } })
  })

  test('two who are linked are not merged before the link is removed', async ({ as, make }) => {
    const me = as('admin')
    const [one, other] = [await make.patient(), await make.patient()]
    const id = uuidv7()
    const link = { id, patient_id: one.id, relationship: 'spouse' as const }
    await saveRelatedPerson(me, { ...link, related_patient_id: other.id })
    for (const [winnerId, loserId] of [
      [one.id, other.id],
      [other.id, one.id],
    ] as const)
      await expect(mergePatients(me, { id: uuidv7(), winnerId, loserId })).rejects.toMatchObject({
        text: { key: 'merge.areFamily' },
      })
    await deleteRelatedPerson(me, { id })
    await mergePatients(me, { id: uuidv7(), winnerId: one.id, loserId: other.id })
  })
})
