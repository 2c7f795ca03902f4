import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { listAllergies } from '~/features/care/allergies/allergies.server'
import { patientBanner } from '~/features/care/banner/banner.server'
import { settleFollowUps } from '~/features/care/programs/stale.server'
import { listProblems } from '~/features/care/problems/problems.server'
import { summaryStock } from '~/features/reports/dashboard/stock-summary.server'
import { summaryDay } from '~/features/reports/dashboard/summary.server'
import { dayRegister, programRegister } from '~/features/record/registers/registers.server'
import { barred } from '~/features/medicines/inventory/changes/picking'
import { listInventory } from '~/features/medicines/inventory/inventory.server'
import { takenByEach } from '~/features/medicines/prescriptions/check/taken.server'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import { loadCurrentMedicines } from '~/features/medicines/taken/current.server'
import { listPatients } from '~/features/people/patients/search/search.server'
import { runCells } from '~/features/reports/cells/cells.server'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { readPeriod } from '~/features/reports/cells/period'
import { fhirSummary } from '~/fhir/summary.server'
import { isActiveAllergy } from '~/records/allergy'
import { isCurrent } from '~/records/problem'
import type { Context } from '~/server/operation'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { test } from './harness'
import { randomOf } from './random-day'

/** docs/rules.md, "One rule for each fact": generated worlds, in which every reader says what a plain loop says. */

const WORLDS = Number(process.env['SANAD_WORLDS'] ?? 4)
const seeds = Array.from({ length: WORLDS }, (_, at) => at + 1)
const BASE = 'https://clinic.example/api/fhir'

type Resource = Record<string, unknown> & { resourceType: string; id: string }

/** The ids of the resources that the summary's section names. */
async function sectionOf(ctx: Context, id: string, code: string): Promise<string[]> {
  const { document } = await fhirSummary(ctx, { id, base: BASE })
  const entries = document['entry'] as { fullUrl: string; resource: Resource }[]
  const sections = entries[0]!.resource['section'] as {
    code: { coding: { code: string }[] }
    entry?: { reference: string }[]
  }[]
  const section = sections.find((one) => one.code.coding[0]!.code === code)
  return (section?.entry ?? []).map(({ reference }) => reference.split('/').at(-1)!).toSorted()
}

test.for(seeds)(
  'in world %i the record, the check and the summary know the same of each patient',
  async (seed, { make, asUser, db }) => {
    const random = randomOf(seed)
    const pick = <T>(from: readonly T[]) => from[random(from.length)]!
    const today = dayIn(new Date(), clinicTimeZone())
    const clinic = await make.clinic()
    const me = asUser(await make.user({ role: 'admin', clinic_id: clinic.id }))
    for (let n = 0; n < 3; n += 1) {
      const patient = await make.patient({
        primary_clinic_id: clinic.id,
        sex: 'female',
        date_of_birth: '1995-05-05',
      })
      const patient_id = patient.id
      const problems: { id: string; code: string }[] = []
      for (const [at, code] of ['I10', 'E11', 'J45', 'G40'].entries()) {
        const status = pick(['active', 'unknown', 'remission', 'inactive', 'resolved'])
        const verified = pick(['confirmed', 'provisional', 'unconfirmed', 'refuted'])
        const is_deleted = at === 3 && random(3) === 0
        const { id } = await make.problem({
          patient_id,
          problem_code: code,
          clinical_status: status,
          verification_status: verified,
          is_deleted,
        })
        if (!is_deleted && verified !== 'refuted' && !['inactive', 'resolved'].includes(status))
          problems.push({ id, code })
      }
      const allergies: string[] = []
      for (const substance of ['Penicillin', 'Latex', 'Ibuprofen']) {
        const status = pick(['active', 'active', 'inactive', 'refuted'])
        const { id } = await make.allergy({ patient_id, substance, status })
        if (status === 'active') allergies.push(id)
      }
      const medicines: string[] = []
      for (const name of ['Warfarin', 'Digoxin', 'Metformin']) {
        const until = pick([null, addDays(today, -1), today, addDays(today, 5)])
        const { id } = await make.medicine({ patient_id, name, ingredients: [name], until })
        // a stop holds while the last day is that of the decision
        const stop = pick([null, null, today, addDays(today, -1)])
        const decision = pick(['stop', 'stop', 'keep'])
        if (stop)
          await make.medicineDecision({
            patient_id,
            decision,
            decided_on: stop,
            kind: 'elsewhere',
            patient_medicine_id: id,
            name,
            reason: decision === 'stop' ? 'Bleeding since' : null,
          })
        const isStopped = stop !== null && decision === 'stop' && stop === until
        if (!isStopped && (until === null || until >= today)) medicines.push(id)
      }
      const answers: { day: string; state: string }[] = []
      for (const back of [200, 90, 3]) {
        const state = pick(['pregnant', 'not_pregnant', 'nothing'])
        if (state === 'nothing') continue
        const day = addDays(today, -back)
        await make.pregnancy({ patient_id, state, asked_on: day })
        answers.push({ day, state })
      }

      const read = await listProblems(me, { patientId: patient_id })
      const ids = problems.map(({ id }) => id).toSorted()
      expect(
        read
          .filter(isCurrent)
          .map(({ id }) => id!)
          .toSorted(),
        'record',
      ).toEqual(ids)
      expect(await sectionOf(me, patient_id, '11450-4'), 'summary').toEqual(ids)
      const facts = await loadPatientFacts(db, patient_id)
      expect(facts.problems, 'check').toEqual(problems.map(({ code }) => code).toSorted())

      const banner = await patientBanner(me, { patientId: patient_id })
      const listed = await listAllergies(me, { patientId: patient_id })
      const expected = allergies.toSorted()
      expect(
        listed
          .filter(isActiveAllergy)
          .map(({ id }) => id!)
          .toSorted(),
      ).toEqual(expected)
      expect(banner.allergies!.known.map(({ id }) => id).toSorted()).toEqual(expected)
      expect(await sectionOf(me, patient_id, '48765-2')).toEqual(expected)

      const taken = await loadCurrentMedicines(me, patient_id)
      const checked = (await takenByEach(db, [{ patientId: patient_id }]))[0]!
      expect(await sectionOf(me, patient_id, '10160-0')).toEqual(medicines.toSorted())
      expect(taken.rows).toHaveLength(medicines.length)
      const now = checked.filter(({ standing }) => standing !== 'ended')
      expect(now.map(({ name }) => name).toSorted()).toEqual(
        taken.rows.map(({ name }) => name).toSorted(),
      )

      const last = answers.at(-1)
      // "not pregnant" holds for a cycle
      const isOld = last?.state === 'not_pregnant' && last.day < addDays(today, -28)
      const newest = last && !isOld ? last.state : 'not_known'
      expect(banner.pregnancy?.state, 'line').toBe(newest)
      expect(facts.pregnancy?.state, 'check').toBe(newest)
      expect((await sectionOf(me, patient_id, '10162-6')).length > 0, 'summary').toBe(
        newest !== 'not_known',
      )
    }
  },
)

const names = { en: 'Name' }
const definition: ReportDefinition = {
  code: 'facts',
  names,
  period: 'day',
  sections: [
    {
      id: 'facts',
      names,
      rows: [
        { id: 'seen', names, measure: { count: 'visits', distinct: 'patient', in: 'period' } },
        { id: 'open', names, measure: { count: 'visits', distinct: 'day', in: 'period' } },
        {
          id: 'usable',
          names,
          measure: { sum: 'stock.usable', of: 'stock', in: { until: 'periodEnd' } },
        },
      ],
    },
  ],
}

test.for(seeds)(
  'in world %i the day, its register, the stock and the reports say the same of each clinic',
  async (seed, { make, asUser, db }) => {
    const random = randomOf(seed + 1000)
    const pick = <T>(from: readonly T[]) => from[random(from.length)]!
    const zone = clinicTimeZone()
    const today = dayIn(new Date(), zone)
    const me = asUser(await make.user({ role: 'admin' }))
    const visitedBefore = (await summaryDay(me, {})).visited!
    let visited = 0
    for (const clinic of [await make.clinic(), await make.clinic()]) {
      const clinic_id = clinic.id
      const patients: string[] = []
      const seen: string[] = []
      for (let n = 0; n < 5; n += 1) {
        const patient = await make.patient({ primary_clinic_id: clinic_id })
        patients.push(patient.id)
        await make.enrollment({ patient_id: patient.id, clinic_id, program: 'tuberculosis' })
        const visit = await make.visit({
          clinic_id,
          patient_id: patient.id,
          check_in_timestamp: new Date(),
        })
        const kind = pick(['waits', 'waits', 'begun', 'recorded', 'no appointment'])
        if (kind !== 'no appointment')
          await make.appointment({
            clinic_id,
            patient_id: patient.id,
            current_visit_id: visit.id,
            status: 'checked_in',
          })
        if (kind === 'begun')
          await sql`update appointment_departments d set status = 'in_progress' from appointments a
            where a.id = d.appointment_id and a.current_visit_id = ${visit.id}`.execute(db)
        if (kind === 'recorded') await make.vital({ patient_id: patient.id, visit_id: visit.id })
        if (kind !== 'waits') seen.push(patient.id)
      }
      visited += seen.length
      let usable = 0
      const drug = await make.drug({ min_stock_level: 10 })
      for (let n = 0; n < 4; n += 1) {
        const expiry_date = pick([addDays(today, -1), today, addDays(today, 30)])
        const is_quarantined = random(3) === 0
        const batch = await make.batch({ drug_id: drug.id, expiry_date, is_quarantined })
        const quantity = 1 + random(9)
        await db
          .insertInto('inventory_transactions')
          .values({
            clinic_id,
            drug_id: drug.id,
            batch_id: batch.id,
            transaction_type: 'received',
            quantity,
            day: today,
            reference_type: 'receipt',
            reference_id: uuidv7(),
            is_reported: true,
          })
          .execute()
        expect(barred({ expiry_date, is_quarantined }, today) === null).toBe(
          !is_quarantined && expiry_date >= today,
        )
        if (!is_quarantined && expiry_date >= today) usable += quantity
      }

      const list = await listPatients(me, {
        clinicId: clinic_id,
        visitedFrom: today,
        visitedTo: today,
        seen: 'only',
      })
      expect(list.patients.map(({ id }) => id).toSorted(), 'list').toEqual(seen.toSorted())
      const program = { clinicId: clinic_id, program: 'tuberculosis' }
      const enrolled = await programRegister(me, program)
      const lastVisits = enrolled.rows.map((row) => [row.patient_id, row.last_visit_on])
      expect(Object.fromEntries(lastVisits), 'program').toEqual(
        Object.fromEntries(patients.map((id) => [id, seen.includes(id) ? today : null])),
      )
      await settleFollowUps(me)
      const followed = await db
        .selectFrom('follow_up_items')
        .select(['patient_id', 'last_visit_on'])
        .where('clinic_id', '=', clinic_id)
        .where('status', '=', 'open')
        .execute()
      expect(followed.length).toBeGreaterThan(0)
      for (const { patient_id, last_visit_on } of followed)
        expect(last_visit_on, 'follow-up').toBe(seen.includes(patient_id) ? today : null)
      const register = await dayRegister(me, { clinicId: clinic_id, day: today })
      expect(register.rows.map(({ patient_id }) => patient_id).toSorted()).toEqual(seen.toSorted())
      const { cells } = await runCells(db, {
        definition,
        clinicIds: [clinic_id],
        period: readPeriod(today, zone)!,
        zone,
        manual: new Map(),
        now: new Date(),
      })
      expect(Object.fromEntries(cells.map(({ row, value }) => [row, value]))).toEqual({
        seen: seen.length,
        open: seen.length > 0 ? 1 : 0,
        usable,
      })
      const { items } = await listInventory(me, { clinicId: clinic_id, limit: 50, offset: 0 })
      expect(items.map((item) => item.usable)).toEqual([usable])
      const { low } = await summaryStock(me, {})
      expect(low.some(({ drug_id }) => drug_id === drug.id)).toBe(usable < 10)
    }
    expect((await summaryDay(me, {})).visited! - visitedBefore).toBe(visited)
  },
)
