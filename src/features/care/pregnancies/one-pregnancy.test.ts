import { v5, v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { listVitals } from '~/features/care/vitals/vitals.server'
import {
  endEnrollment,
  enrollInProgram,
  programsOfPatient,
  saveEnrollment,
} from '~/features/care/programs/programs.server'
import { installStarter } from '~/features/forms/event-forms/starters.server'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import { deleteEvent, getEvent, newEvent } from '~/features/forms/events/events.server'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import { STARTERS } from '~/forms/starters'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { listPregnancies, recordPregnancy } from './pregnancies.server'
import { pregnancyOn } from './pregnancy'

const treating: Permission[] = ['can_view_history', 'can_edit_records', 'can_delete_records']
const antenatal = STARTERS.find(({ key }) => key === 'antenatal-visit')!
const today = () => dayIn(new Date(), clinicTimeZone())
const DUE = addDays(today(), 70)
const ago = (days: number) => addDays(today(), -days)
const LMP = ago(210)

/** The questions of the antenatal form by their English names. */
const LAST_PERIOD = 'First day of last menstrual period'
const SCAN_DAY = 'Date of the first ultrasound'
const SCAN_WEEKS = 'Weeks found by that ultrasound'
const WEEKS = 'Gestational age (weeks)'
const DUE_DATE = 'Estimated due date'
const BIRTHS = 'Number of births after 20 weeks'

type Make = ReturnType<typeof makeFactories>
type AsUser = (user: User, grants?: Record<string, Permission[]>) => Context
type User = Awaited<ReturnType<Make['user']>>

/** Made before the first operation: users are then made in the name of who called it. */
async function staffOf(make: Make) {
  return {
    provider: await make.user({ role: 'provider' }),
    administrator: await make.user({ role: 'super_admin' }),
  }
}

/** A woman in a visit of today with a high blood pressure, and the antenatal form as a clinic installs it. */
async function scene(make: Make, asUser: AsUser, staff = staffOf(make)) {
  const { provider, administrator } = await staff
  const { id: patient_id } = await make.patient({ sex: 'female', date_of_birth: '1995-01-01' })
  const visit = await make.visit({ patient_id, check_in_timestamp: new Date() })
  await make.vital({ patient_id, systolic_bp: 145, diastolic_bp: 85, timestamp: new Date() })
  const me = asUser(provider, { [visit.clinic_id]: treating })
  const root = asUser(administrator)
  const formId = uuidv7()
  await installStarter(root, { key: 'antenatal-visit', id: formId, clinic_ids: [] })
  const field = (name: string) => {
    const found = antenatal.form.form_fields.find((one) => 'name' in one && one.name === name)
    return v5(found!.id, formId)
  }
  const event = { id: uuidv7(), patient_id, visit_id: visit.id, form_id: formId }
  return { patient_id, visit, me, formId, field, event }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** What each reader says of the patient today. */
async function readersOf({ patient_id, visit, me, formId }: Scene) {
  // the header, the visit summary and the referral letter
  const listed = pregnancyOn(await listPregnancies(me, { patientId: patient_id }), today())
  const vitals = await listVitals(me, { patientId: patient_id })
  const { pregnancy } = await loadPatientFacts(me.db, patient_id)
  const { subject } = await newEvent(me, { visitId: visit.id, formId })
  return {
    listed: [listed.state, listed.weeks, listed.dueOn],
    safety: [pregnancy.state, pregnancy.weeks],
    form: subject.dueOn,
    marks: JSON.stringify(vitals.rows[0]!.marks),
  }
}
const KNOWN = { listed: ['pregnant', 30, DUE], safety: ['pregnant', 30], form: DUE }

const record = ({ me, patient_id }: Scene, weeks: number) =>
  recordPregnancy(me, { id: uuidv7(), patientId: patient_id, state: 'pregnant', weeks })

const enroll = (
  { me, patient_id, visit: { clinic_id } }: Scene,
  given: { lmp?: string; enrolled_on?: string },
) =>
  enrollInProgram(me, {
    id: uuidv7(),
    patient_id,
    clinic_id,
    program: 'pregnancy',
    enrolled_on: today(),
    ...given,
  })

test('30 weeks from any door are 30 weeks for every reader', async ({ make, asUser }) => {
  const staff = staffOf(make)
  const unknown = await readersOf(await scene(make, asUser, staff))
  expect(unknown).toMatchObject({ listed: ['not_known', null, null], form: null })

  const doors: Record<string, (at: Scene) => Promise<unknown>> = {
    'the pregnancy status': (at) => record(at, 30),
    'the antenatal form': ({ me, event, field }) =>
      saveEvent(me, { ...event, answers: [{ fieldId: field(LAST_PERIOD), value: LMP }] }),
    'antenatal care': (at) => enroll(at, { lmp: LMP }),
    // rows as phones, imports and FHIR write them: nothing is computed
    'the last period of a phone': ({ event, field }) =>
      make.event({ ...event, answers: { [field(LAST_PERIOD)]: `${LMP}T12:00:00.000Z` } }),
    'the weeks of a phone': ({ event, field }) =>
      make.event({ ...event, answers: { [field(WEEKS)]: '30' } }),
    'the due date of a phone': ({ event, field }) =>
      make.event({
        ...event,
        answers: { [field(DUE_DATE)]: DUE, [field(LAST_PERIOD)]: addDays(LMP, -40) },
      }),
  }
  for (const [door, enter] of Object.entries(doors)) {
    const at = await scene(make, asUser, staff)
    await enter(at)
    const said = await readersOf(at)
    expect({ door, ...said }).toMatchObject({ door, ...KNOWN })
    // 145 is judged by the limits of a pregnancy
    expect([door, said.marks]).not.toEqual([door, unknown.marks])
  }
})

test('antenatal care says that she is pregnant; its end says a birth, that it is not known, or nothing', async ({
  make,
  asUser,
}) => {
  const staff = staffOf(make)
  const ends = [
    ['birth', 'after_birth'],
    ['completed', 'not_known'],
    // a miscarriage, mostly
    ['other', 'not_known'],
    ['moved', 'pregnant'],
    ['refused', 'pregnant'],
    ['mistaken', 'not_known'],
  ] as const
  for (const [end_reason, state] of ends) {
    const at = await scene(make, asUser, staff)
    const { id } = await enroll(at, {})
    expect(await readersOf(at)).toMatchObject({ listed: ['pregnant', null, null] })
    await endEnrollment(at.me, { id, ended_on: today(), end_reason })
    const said = await readersOf(at)
    expect([end_reason, said.listed[0], said.safety[0]]).toEqual([end_reason, state, state])
  }
})

test.for([
  ['antenatal care', (at: Scene) => enroll(at, { enrolled_on: ago(170), lmp: LMP })],
  [
    'the pregnancy status',
    async (at: Scene) => {
      const said = { state: 'pregnant', asked_on: ago(170), last_period_on: LMP } as const
      await recordPregnancy(at.me, { id: uuidv7(), patientId: at.patient_id, ...said })
      return enroll(at, { enrolled_on: ago(170) })
    },
  ],
] as const)(
  'a last period that %s knew does not date the pregnancy after the end of that care',
  async ([, begin], { make, asUser }) => {
    const at = await scene(make, asUser)
    const { id } = await begin(at)
    const lmps = async () =>
      (await programsOfPatient(at.me, { patientId: at.patient_id })).map(({ lmp }) => lmp)
    expect(await lmps()).toEqual([LMP])
    await endEnrollment(at.me, { id, ended_on: ago(120), end_reason: 'other' })
    await enroll(at, {})
    expect(await lmps()).toEqual([null, LMP])
    expect(await readersOf(at)).toMatchObject({ listed: ['pregnant', null, null], form: null })
  },
)

test('the end of antenatal care takes no breastfeeding away, and no later answer', async ({
  make,
  asUser,
  db,
}) => {
  const staff = staffOf(make)
  for (const end_reason of ['completed', 'birth', 'other'] as const) {
    const at = await scene(make, asUser, staff)
    const { me, patient_id: patientId } = at
    const answer = (state: 'breastfeeding' | 'pregnant') =>
      recordPregnancy(me, { id: uuidv7(), patientId, state })
    const { id } = await enroll(at, {})
    await answer('breastfeeding')
    await endEnrollment(me, { id, ended_on: today(), end_reason })
    expect([end_reason, await readersOf(at)]).toMatchObject([
      end_reason,
      { listed: ['breastfeeding', null, null], safety: ['breastfeeding', null] },
    ])
    const later = await answer('pregnant')
    // a test is one transaction, whose start is the moment of its rows
    const now = { created_at: new Date() }
    await db.updateTable('patient_pregnancies').set(now).where('id', '=', later.id).execute()
    const [row] = await programsOfPatient(me, { patientId })
    const { patient_id, clinic_id, enrolled_on, last_modified } = row!
    const same = { id, patient_id, clinic_id, enrolled_on, last_modified }
    await saveEnrollment(me, { ...same, review_days: 28 })
    expect((await readersOf(at)).safety).toEqual(['pregnant', null])
  }
})

test('the antenatal form does not ask for the last period of a dated pregnancy, and computes its weeks', async ({
  make,
  asUser,
}) => {
  const at = await scene(make, asUser)
  const { me, event, field } = at
  await record(at, 30)
  await saveEvent(me, { ...event, answers: [{ fieldId: field(BIRTHS), value: 1 }] })
  const { answers } = await getEvent(me, { id: event.id })
  expect(answers).toMatchObject({ [field(WEEKS)]: 30, [field(DUE_DATE)]: DUE })

  // an ultrasound before 24 weeks goes before what was recorded
  const scanned = { ...event, id: uuidv7() }
  await saveEvent(me, {
    ...scanned,
    answers: [
      { fieldId: field(SCAN_DAY), value: addDays(today(), -140) },
      { fieldId: field(SCAN_WEEKS), value: 12 },
    ],
  })
  expect((await getEvent(me, { id: scanned.id })).answers).toMatchObject({ [field(WEEKS)]: 32 })
  expect(await readersOf(at)).toMatchObject({ safety: ['pregnant', 32] })
  await deleteEvent(me, { id: scanned.id })
  expect(await readersOf(at)).toMatchObject(KNOWN)
})

test('a form that was dated by its own answers keeps them when it is changed later', async ({
  make,
  asUser,
}) => {
  const at = await scene(make, asUser)
  const { me, event, field } = at
  const dated = { fieldId: field(LAST_PERIOD), value: LMP }
  const { last_modified } = await saveEvent(me, { ...event, answers: [dated] })
  await record(at, 20)
  const births = { fieldId: field(BIRTHS), value: 2 }
  await saveEvent(me, { ...event, last_modified, answers: [dated, births] })
  expect((await getEvent(me, { id: event.id })).answers).toMatchObject({
    [field(LAST_PERIOD)]: LMP,
    [field(WEEKS)]: 30,
    [field(BIRTHS)]: 2,
  })
})

test.for([
  [WEEKS, 'thirty'],
  [WEEKS, '300'],
  [LAST_PERIOD, '2019-01-01'],
  [DUE_DATE, '1990-01-01'],
] as const)(
  '%s: %s dates nothing; a contact says only that she is pregnant',
  async ([name, value], { make, asUser }) => {
    const at = await scene(make, asUser)
    await make.event({ ...at.event, answers: { [at.field(name)]: value } })
    expect(await readersOf(at)).toMatchObject({
      listed: ['pregnant', null, null],
      safety: ['pregnant', null],
      form: null,
    })
  },
)

test('a change of where the last period of antenatal care comes from asks for a new check', async ({
  make,
  asUser,
  db,
}) => {
  const at = await scene(make, asUser)
  const { id } = await enroll(at, { lmp: LMP })
  await make.medicine({ patient_id: at.patient_id })
  const marked = async (values: object) => {
    await db.deleteFrom('unchecked_medicines').execute()
    await db.updateTable('program_enrollments').set(values).where('id', '=', id).execute()
    return db.selectFrom('unchecked_medicines').select('patient_id').execute()
  }
  expect(await marked({ review_days: 28 })).toEqual([])
  expect(await marked({ metadata: JSON.stringify({ dated: true }) })).toHaveLength(1)
  expect(await marked({ origin_id: uuidv7() })).toHaveLength(1)
})

test('a completed antenatal form asks for a new check of what the patient takes', async ({
  make,
  asUser,
  db,
}) => {
  const at = await scene(make, asUser)
  await make.medicine({ patient_id: at.patient_id })
  await db.deleteFrom('unchecked_medicines').execute()
  const marked = () => db.selectFrom('unchecked_medicines').select('patient_id').execute()
  await make.event({ patient_id: at.patient_id, visit_id: at.visit.id })
  expect(await marked()).toEqual([])
  await make.event({ ...at.event, answers: { [at.field(WEEKS)]: '30' } })
  expect(await marked()).toEqual([{ patient_id: at.patient_id }])
})
