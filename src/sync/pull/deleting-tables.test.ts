import { sql } from 'kysely'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { test } from '../../../test/harness'
import { deletingTablesSql } from './deleting-tables'
import type { Plan } from './plan'

test('a pull looks for deletions only where a row was deleted or moved, a link ended or a row is to be resent', async ({
  db,
  make,
}) => {
  const { rows: began } = await sql<{
    at: string
  }>`select pg_current_snapshot()::text as at`.execute(db)
  const since = began[0]!.at
  const plan: unknown = {
    since,
    acknowledged: since,
    departures: null,
    removals: null,
    chainId: newId(),
  }
  const deleting = async () => {
    const { rows } = await sql
      .raw<{ name: string }>(deletingTablesSql(['patients', 'visits', 'events'], plan as Plan))
      .execute(db)
    return [...new Set(rows.map(({ name }) => name))].toSorted()
  }
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await db.updateTable('patients').set({ surname: 'Haddad' }).where('id', '=', patient.id).execute()
  expect(await deleting()).toEqual([])

  await db.updateTable('visits').set({ clinic_id: other.id }).where('id', '=', visit.id).execute()
  // the visit moved, and with it the clinic that it linked
  expect(await deleting()).toEqual(['patient_links', 'visits'])

  await make.patient({ primary_clinic_id: clinic.id, is_deleted: true })
  expect(await deleting()).toEqual(['patient_links', 'patients', 'visits'])
})
