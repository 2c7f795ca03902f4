import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { saveReferral } from '~/features/care/referrals/referrals.server'
import { saveDrug } from '~/features/medicines/drugs/drugs.server'
import { saveMedicine } from '~/features/medicines/taken/medicines.server'
import { test } from './harness'

const asks = { text: { key: 'asked.against_record' } }

test('what is in its list already is asked about before a user adds it a second time', async ({
  asUser,
  make,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const { id: patient_id } = await make.patient()

  const referral = { patient_id, to_name: 'City hospital', reason: 'Chest pain' }
  const refer = (more: object) =>
    saveReferral(me, {
      ...referral,
      id: uuidv7(),
      urgency: 'routine',
      status: 'sent',
      confirmed: [],
      ...more,
    })
  const first = { id: uuidv7() }
  const sent = await refer(first)
  await expect(refer({ to_name: 'city Hospital' })).rejects.toMatchObject({
    ...asks,
    fields: { to_name: { key: 'form.inListAlready', values: { name: 'city Hospital' } } },
  })
  await refer({ to_name: 'Eye clinic' })
  await refer({ ...first, last_modified: sent.last_modified, status: 'replied', reply: 'Seen' })
  await refer({})

  const take = (more: object) =>
    saveMedicine(me, {
      patient_id,
      id: uuidv7(),
      name: 'Metformin 500',
      ingredients: ['metformin'],
      source: 'pharmacy',
      confirmed: [],
      ...more,
    })
  await take({ until: '2020-01-01', since: '2019-01-01' })
  await take({})
  await expect(take({ name: 'metformin 500' })).rejects.toMatchObject(asks)
  await take({ confirmed: ['against_record'] })
  await take({ since: '2018-01-01', until: '2018-02-01' })

  const inStock = { min_stock_level: 0, is_controlled: false, requires_refrigeration: false }
  const keep = (more: object) =>
    saveDrug(me, {
      ...inStock,
      is_active: true,
      id: uuidv7(),
      generic_name: 'Cefixime',
      ingredients: ['cefixime'],
      form: 'capsule',
      route: 'oral',
      dosage_quantity: 200,
      dosage_units: 'mg',
      confirmed: [],
      ...more,
    })
  await keep({})
  await expect(keep({ generic_name: 'cefixime' })).rejects.toMatchObject(asks)
  await keep({ dosage_quantity: 400 })
  await keep({ brand_name: 'Suprax' })
  // a program is not asked
  await keep({ confirmed: undefined })
  await take({ confirmed: undefined })
  await refer({ confirmed: undefined })
})
