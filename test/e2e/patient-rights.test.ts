import sharp from 'sharp'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import type { Role } from '~/shared/permissions'
import {
  addUser,
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
import { opensPart, partNames } from './record-parts'

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
  const callsOfPatient = () => calls.filter((url) => decodeURIComponent(url).includes(patientId))
  // the value may be on the page before the tab has asked for it
  await expect.poll(() => callsOfPatient().length).toBeGreaterThan(0)
  const ofVitals = callsOfPatient()

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

test('a referral: registered in A, opened by B with a reason, read by C in an emergency', async ({
  site,
  visit,
}) => {
  const { patientId } = await aReferral(site)
  const record = `/app/patients/${patientId}`
  const tabs = partNames
  /** The names, in the person's language, of what the screen offers to write. */
  const offered = async (person: Person) => {
    const main = person.page.locator('#content')
    const names = WRITING.map((key) => person.say(key))
    const shown = await Promise.all(
      names.map((name) =>
        main.getByRole('button', { name }).or(main.getByRole('link', { name })).count(),
      ),
    )
    return names.filter((_, at) => shown[at]! > 0)
  }
  const seesVitals = async (person: Person, sees: boolean) => {
    const name = person.say('vitals.title')
    await opensPart(person, name)
    const cells = person.page.getByRole('tabpanel', { name }).locator('td')
    await cells.getByText('71.5').waitFor()
    expect(await cells.getByText('142.5').count()).toBe(sees ? 1 : 0)
  }

  // B recorded a visit of its own, and what A recorded is hidden until B gives a reason
  const b = await withSession(await visit('en'), emailOf('orchard'))
  await b.page.goto(record)
  await b.seesHeading('Salma Haddad')
  await b.sees(b.say('sharing.hiddenTitle'))
  await b.sees(b.say('sharing.hiddenBy', { clinics: 'Hillside' }))
  await b.screenIsSound()
  await seesVitals(b, false)
  expect(await offered(b)).toEqual([b.say('vitals.add'), b.say('patientPage.prescribe')])
  await b.press('sharing.open')
  await b.page.getByRole('combobox', { name: b.say('sharing.reason') }).click()
  await b.page.getByRole('option', { name: b.say('sharing.reason_here') }).click()
  await b.page
    .getByRole('dialog')
    .getByRole('button', { name: b.say('sharing.open') })
    .click()
  // the notice with the button is replaced by the line that says until when
  await expect.poll(() => b.focused()).toMatch(/^DIV Orchard can read/)
  await seesVitals(b, true)
  expect(await b.page.getByText(b.say('sharing.hiddenTitle')).count()).toBe(0)

  // C does not know the patient, and finds them for an emergency
  const c = await visit('ar', 375)
  await c.page.goto('/app/patients')
  await c.fill('sessions.email', emailOf('valley'))
  await c.fill('sessions.password', password)
  await c.press('sessions.signIn')
  await c.page.waitForURL('**/app/patients**')
  const { request } = c.page.context()
  await request.post('/api/trpc/account.savePreferences', { data: { language: 'ar' } })
  await c.page.goto('/app/patients?search=Salma%20Haddad')
  await c.press('sharing.emergency')
  await expect.poll(() => c.focused()).toContain(c.say('devices.column_given_name'))
  await c.press('sharing.lookUp')
  const match = c.page.getByRole('listitem').filter({ hasText: 'Salma Haddad' })
  await match.getByText('Hillside').waitFor()
  await c.screenIsSound()
  await match.getByRole('button', { name: c.say('sharing.emergency') }).click()
  await c.fill('sharing.emergencyReason', 'Found unconscious at the gate')
  await c.press('sharing.emergencyOpen')
  await c.seesHeading('Salma Haddad')
  await c.sees(c.say('sharing.emergencyBanner', { time: '|' }).split('|', 1)[0]!.trim())
  await c.screenIsSound()
  // it is read and not written, in every tab
  for (const name of await tabs(c)) {
    await opensPart(c, name)
    await c.page.getByRole('tabpanel', { name, exact: true }).waitFor()
    expect([name, await offered(c)]).toEqual([name, []])
  }
  await seesVitals(c, true)

  // the administrators review it
  const admin = await withSession(await visit('es'), emailOf('admin'))
  await admin.page.goto('/app/patients/access')
  await admin.sees('Found unconscious at the gate')
  await admin.screenFits()
})

const WRITING = [
  'vitals.add',
  'visits.open',
  'problems.add',
  'patientPage.prescribe',
  'prescriptions.new',
  'allergies.add',
  'allergies.recordNone',
  'medicines.add',
  'appointments.book',
] as const

/** A patient registered and weighed in Hillside, seen in Orchard, unknown in Valley; a provider of each. */
async function aReferral(site: Site) {
  const call = await administrator(site)
  const [{ id: hillside }] = await call<[{ id: string }]>('clinics.list')
  const [orchard, valley, patientId] = [newId(), newId(), newId()]
  await call('clinics.save', { id: orchard, name: 'Orchard' })
  await call('clinics.save', { id: valley, name: 'Valley' })
  for (const [who, clinic_id] of Object.entries({ orchard, valley }))
    await addUser(site, {
      id: newId(),
      name: who,
      email: emailOf(who),
      role: 'provider',
      clinic_id,
    })
  const names = { given_name: 'Salma', surname: 'Haddad', sex: 'female' }
  await call('patients.create', {
    id: patientId,
    primary_clinic_id: hillside,
    ...names,
    date_of_birth: '1984-02-11',
    answers: {},
  })
  const weigh = async (clinic_id: string, weight_kg: number) => {
    const visit_id = newId()
    const at = new Date().toISOString()
    const of = { patient_id: patientId, clinic_id, check_in_timestamp: at }
    await call('visits.save', { id: visit_id, ...of })
    const weighed = { weight_kg, timestamp: at }
    await call('vitals.save', { id: newId(), patient_id: patientId, visit_id, ...weighed })
  }
  await weigh(hillside, 142.5)
  await weigh(orchard, 71.5)
  return { patientId }
}

/** A patient with a photo and a weight, seen in one clinic; people of that clinic, and one of another. */
async function aClinicAtWork(site: Site) {
  const call = await administrator(site)
  const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
  const otherClinicId = newId()
  await call('clinics.save', { id: otherClinicId, name: 'Riverside' })
  const add = (who: string, role: Role, clinic_id: string) =>
    addUser(site, { id: newId(), name: who, email: emailOf(who), role, clinic_id })
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
