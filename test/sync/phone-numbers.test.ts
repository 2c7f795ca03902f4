import { expect } from 'vitest'
import { listAccesses } from '~/features/office/audit/accesses.server'
import { listPhones } from '~/features/office/devices/devices.server'
import { stopAccesses } from '~/server/access-log'
import { asAdmin, EVERYTHING, test } from './clinic'
import type { Phone } from './phone'

/** Signs in as the app does, and keeps the cookie. */
async function signIn({ origin, email, password }: Phone): Promise<string> {
  const response = await fetch(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
  return response.headers.getSetCookie()[0]!.split(';', 1)[0]!
}

test('phones with the account’s password have numbers in the access log and on the screen of phones', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const admin = asAdmin(db, await person('admin'))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const [first, second] = [phoneOf(amal), phoneOf(amal)]
  first.cookie = await signIn(first)
  await first.sync()
  await second.sync()
  await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await first.sync()

  const { rows: phones } = await listPhones(admin, { search: amal.name })
  const numbers = phones.map(({ number }) => number!).toSorted((a, b) => a - b)
  expect(numbers).toHaveLength(2)
  expect(numbers[1]).toBe(numbers[0]! + 1)

  const accesses = async () => {
    await stopAccesses()
    const { rows } = await listAccesses(admin, { userId: amal.id })
    return rows.map(({ operation, phone, phoneNumber }) => [operation, phone, phoneNumber])
  }
  const pulls = numbers.map((number) => ['sync.pull', null, number])
  expect(await accesses()).toEqual([pulls[0], pulls[1], pulls[0]])

  const online = { query: 'get_patient', params: { patient_id: patient.id } }
  for (const phone of [first, second])
    expect((await phone.request('POST', '/rpc/query', JSON.stringify(online))).status).toBe(200)
  // the second phone has kept no cookie
  expect((await accesses()).slice(0, 2)).toEqual(
    expect.arrayContaining([
      ['rpc.get_patient', null, numbers[0]],
      ['rpc.get_patient', null, null],
    ]),
  )
})
