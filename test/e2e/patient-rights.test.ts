import sharp from 'sharp'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import type { Role } from '~/shared/permissions'
import {
  administrator,
  emailOf,
  password,
  type Person,
  rpc,
  type Site,
  test,
  tokenOf,
  withSession,
} from './browser'

test('a registrar knows who a patient is and nothing more; another clinic knows nothing: on every way in', async ({
  site,
  visit,
}) => {
  const { patientId } = await aClinicAtWork(site)
  const ask = async (who: string | undefined, name: string, input: unknown) =>
    (await rpc(site, name, input, who && (await tokenOf(site, emailOf(who))))).status
  const ofPatient = { patientId }

  // by program
  const history = ['vitals.list', 'vitals.latest', 'visits.list', 'problems.list', 'timeline.list']
  for (const name of history) {
    expect([name, await ask('provider', name, ofPatient)]).toEqual([name, 200])
    expect([name, await ask('registrar', name, ofPatient)]).toEqual([name, 403])
    expect([name, await ask('stranger', name, ofPatient)]).toEqual([name, 404])
    expect([name, await ask(undefined, name, ofPatient)]).toEqual([name, 401])
  }
  expect(await ask('registrar', 'patients.get', { id: patientId })).toBe(200)
  expect(await ask('stranger', 'patients.get', { id: patientId })).toBe(404)

  // on the screen, and by the calls that the provider's screen made
  const provider = await signedIn(await visit('en'), 'provider')
  const calls: string[] = []
  provider.page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/_serverFn/'))
      calls.push(request.url())
  })
  await provider.page.goto(`/app/patients/${patientId}`)
  await provider.seesHeading('Layla Mansour')
  await provider.screenIsSound()
  await provider.page.getByRole('tab', { name: provider.say('vitals.title') }).click()
  await provider.sees('137.5')
  await provider.screenIsSound()
  const ofVitals = calls.filter((url) => decodeURIComponent(url).includes(patientId))
  expect(ofVitals.length).toBeGreaterThan(0)

  const registrar = await signedIn(await visit('en', 375), 'registrar')
  await registrar.page.goto(`/app/patients/${patientId}?tab=vitals`)
  await registrar.seesHeading('Layla Mansour')
  await registrar.screenIsSound()
  expect(
    await registrar.page.getByRole('tab', { name: registrar.say('vitals.title') }).count(),
  ).toBe(0)
  expect(await registrar.page.getByText('137.5').count()).toBe(0)
  for (const url of ofVitals) expect(await answerTo(registrar, url)).not.toContain('137.5')
  expect(
    await registrar.page.request.get(`/api/photos/${patientId}`).then((answer) => answer.status()),
  ).toBe(200)

  const stranger = await signedIn(await visit('en'), 'stranger')
  await stranger.page.goto(`/app/patients/${patientId}`)
  await stranger.sees(stranger.say('errors.notFound'))
  for (const url of ofVitals) expect(await answerTo(stranger, url)).not.toContain('137.5')
  expect(
    await stranger.page.request.get(`/api/photos/${patientId}`).then((answer) => answer.status()),
  ).toBe(404)
  expect((await fetch(`${site.url}/api/photos/${patientId}`)).status).toBe(401)
})

/** A patient with a photo and a weight, seen in one clinic; people of that clinic, and one of another. */
async function aClinicAtWork(site: Site) {
  const call = await administrator(site)
  const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
  const otherClinicId = newId()
  await call('clinics.save', { id: otherClinicId, name: 'Riverside' })
  const add = (who: string, role: Role, clinic_id: string) =>
    call('users.save', { id: newId(), name: who, email: emailOf(who), role, clinic_id, password })
  await add('provider', 'provider', clinicId)
  await add('registrar', 'registrar', clinicId)
  await add('stranger', 'provider', otherClinicId)

  const patientId = newId()
  const visitId = newId()
  const names = {
    given_name: 'Layla',
    surname: 'Mansour',
    sex: 'female',
    date_of_birth: '1990-05-17',
  }
  await call('patients.create', {
    id: patientId,
    primary_clinic_id: clinicId,
    ...names,
    answers: {},
  })
  await call('visits.save', {
    id: visitId,
    patient_id: patientId,
    clinic_id: clinicId,
    check_in_timestamp: new Date().toISOString(),
  })
  // a number that is in no moment and no id
  const weighed = { weight_kg: 137.5, timestamp: new Date().toISOString() }
  await call('vitals.save', { id: newId(), patient_id: patientId, visit_id: visitId, ...weighed })
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  await call('photos.save', { id: patientId, image: image.toString('base64') })
  return { patientId, clinicId }
}

const signedIn = (person: Person, who: string) => withSession(person, emailOf(who))

const answerTo = (person: Person, url: string) =>
  person.page.evaluate(
    async (address) => (await fetch(address, { headers: { 'x-tsr-serverfn': 'true' } })).text(),
    url,
  )
