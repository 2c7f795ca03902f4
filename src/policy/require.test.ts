import { expect, onTestFinished } from 'vitest'
import { cloneTemplate, test } from '../../test/harness'
import { makeFactories } from '../../test/factories'
import { requirePatient } from './require.server'
import { readForSafety } from './rules'

test('a page checks a patient once for each rule, another request and a transaction again', async ({
  as,
}) => {
  const db = await cloneTemplate('require_patient')
  onTestFinished(() => db.destroy())
  const patient = await makeFactories(db).patient()
  const ctx = { ...as('super_admin'), db }
  const page = { ...ctx, request: { ...ctx.request, isPage: true } }
  const first = await requirePatient(page, patient.id)
  await db.updateTable('patients').set({ is_deleted: true }).where('id', '=', patient.id).execute()

  expect(await requirePatient({ ...page, isInner: true }, patient.id)).toBe(first)
  const refused = { code: 'not_found' }
  await expect(requirePatient(page, patient.id, readForSafety)).rejects.toMatchObject(refused)
  await expect(requirePatient(ctx, patient.id)).rejects.toMatchObject(refused)
  await db.transaction().execute(async (trx) => {
    const write = requirePatient({ ...page, db: trx }, patient.id)
    await expect(write).rejects.toMatchObject(refused)
  })
})
