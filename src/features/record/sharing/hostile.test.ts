import { sql } from 'kysely'
import { expect } from 'vitest'
import { operations } from '~/rpc/operations'
import { AppError } from '~/shared/errors'
import { PERMISSIONS } from '~/shared/permissions'
import { aRequest, test } from '../../../../test/harness'
import { samples } from '../../../../test/samples'
import { makeWorld } from '../../../../test/world'

/** Written into what the other clinic recorded. */
const SECRET = 'secret of the other clinic'

test('no operation hands out or changes what another clinic recorded of a shared patient', async ({
  db,
  make,
}) => {
  const { own, other, actors } = await makeWorld(db)
  const { patient, visit, vital, problem, event, eventFile, prescription, record } = other
  for (const [table, column, id] of [
    ['visits', 'reason', visit.id],
    ['patient_problems', 'problem_label', problem.id],
    ['events', 'event_type', event.id],
    ['event_files', 'name', eventFile.id],
    ['prescriptions', 'notes', prescription.id],
    ['dispensing_records', 'reason', record.id],
    ['patient_allergies', 'reaction', other.allergy.id],
  ] as const)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${SECRET} where id = ${id}`.execute(
      db,
    )
  const hidden = [visit, vital, problem, event, eventFile, prescription, record].map(({ id }) => id)
  // the patient has come here: a visit opens nothing of the other clinic
  await make.visit({ patient_id: patient.id, clinic_id: own.clinic.id })
  const grants = { [own.clinic.id]: PERMISSIONS, [own.empty.id]: PERMISSIONS }
  const actor = { ...actors['provider']!, grants }

  const leaks: string[] = []
  const call = async (name: string) => {
    await sql`savepoint tried`.execute(db)
    try {
      const input = samples[name]!(other)
      const answer = await operations.get(name)!({ db, actor, request: aRequest() }, input as never)
      const text = JSON.stringify(answer) ?? ''
      const isNamed = hidden.some((id) => JSON.stringify(input ?? {}).includes(id))
      if (isNamed || text.includes(SECRET) || hidden.some((id) => text.includes(id)))
        leaks.push(name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    } finally {
      await sql`rollback to savepoint tried`.execute(db)
    }
  }
  for (const name of [...operations.keys()].toSorted()) await call(name)
  expect(leaks).toEqual([])

  // opened with a reason, the same calls read what they read at home
  await make.opening({ patient_id: patient.id, clinic_id: own.clinic.id })
  for (const name of [
    'visits.get',
    'visits.list',
    'vitals.list',
    'events.get',
    'prescriptions.get',
  ])
    await call(name)
  expect(leaks.toSorted()).toEqual([
    'events.get',
    'prescriptions.get',
    'visits.get',
    'visits.list',
    'vitals.list',
  ])
})
