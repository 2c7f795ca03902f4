import fc from 'fast-check'
import { sql } from 'kysely'
import { expect } from 'vitest'
import {
  type Link,
  permits,
  permitsIn,
  permitsRow,
  permitsSomewhere,
  somewhere,
} from '~/policy/facts'
import {
  CLINIC_RULES,
  clinicsMeetingRule,
  knowPatient,
  LINK_SOURCES,
  PATIENT_RULES,
} from '~/policy/rules'
import { linkCounts } from '~/policy/sql-text'
import {
  historyWhere,
  livingWhere,
  patientsWhere,
  searchedWhere,
  usersWhere,
} from '~/policy/sql.server'
import { inPermittedClinics } from '~/server/scope'
import { type Actor, can } from '~/shared/actor'
import { type Permission, PERMISSIONS, ROLES } from '~/shared/permissions'
import { personScopeSql, personScope } from '~/sync/schema/scope'
import { tableNamed } from '~/sync/schema/tables'
import { test } from './harness'
import { ruleTable } from './rule-table'

const CLINICS = [0, 1, 2]
const PATIENTS = 6

const link = fc.record({
  patient: fc.nat(PATIENTS - 1),
  clinic: fc.constantFrom(...CLINICS),
  source: fc.constantFrom(...LINK_SOURCES),
  isOpen: fc.boolean(),
})
const links = fc.uniqueArray(link, {
  maxLength: 20,
  selector: ({ patient, clinic, source }) => `${patient} ${clinic} ${source}`,
})
/** Few permissions at a time: an actor with all of them meets every rule. */
const grants = fc.array(fc.uniqueArray(fc.constantFrom(...PERMISSIONS), { maxLength: 3 }), {
  minLength: CLINICS.length,
  maxLength: CLINICS.length,
})
const role = fc.constantFrom(...ROLES)

/** Whether clinics share every history, and the patients of an emergency. */
const care = fc.record({
  sharesHistory: fc.boolean(),
  emergency: fc.uniqueArray(fc.nat(PATIENTS - 1), { maxLength: 1 }),
})

const actorOf = (
  userId: string,
  role: Actor['role'],
  clinics: readonly string[],
  held: Permission[][],
): Actor => ({
  userId,
  name: 'Test user',
  role,
  language: 'en',
  clinicId: null,
  grants: Object.fromEntries(clinics.map((id, at) => [id, held[at] ?? []])),
})

test('each rule about patients gives one answer as a boolean, as a where, in a search and as text of a pull', async ({
  db,
  make,
}) => {
  const clinics = (await Promise.all(CLINICS.map(() => make.clinic()))).map(({ id }) => id)
  const patients = (await Promise.all(Array.from({ length: PATIENTS }, () => make.patient()))).map(
    ({ id }) => id,
  )
  const vitals: { id: string; patient_id: string; recorded_clinic_id: string | null }[] = []
  for (const patient_id of patients)
    for (const recorded_clinic_id of [...clinics, null])
      vitals.push(await make.vital({ patient_id, recorded_clinic_id }))
  const where = async (condition: unknown, from = sql`patients`, column = 'patients.id') => {
    const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id from ${from}
      where ${sql.ref(column)} = any(${patients}::uuid[]) and (${condition}) order by 1`.execute(db)
    return rows.map(({ id }) => id)
  }
  await fc.assert(
    fc.asyncProperty(links, role, grants, care, async (made, role, held, inCare) => {
      await db.deleteFrom('patient_links').execute()
      const rows = made.map(({ patient, clinic, source, isOpen }) => ({
        patient_id: patients[patient]!,
        clinic_id: clinics[clinic]!,
        source,
        until: isOpen ? null : new Date(),
      }))
      if (rows.length > 0) await db.insertInto('patient_links').values(rows).execute()
      const actor: Actor = {
        ...actorOf(patients[0]!, role, clinics, held),
        sharesHistory: inCare.sharesHistory,
        emergency: inCare.emergency.map((at) => patients[at]!),
      }
      // a phone's
      const offline: Actor = { ...actor, emergency: undefined }
      const openOf = (id: string): Link[] =>
        rows.filter((row) => row.patient_id === id && row.until === null)
      const permitted = (rule: (typeof PATIENT_RULES)['knowPatient'], who = actor) =>
        patients.filter((id) => permits(rule, who, openOf(id), id)).toSorted()

      for (const [name, rule] of Object.entries(PATIENT_RULES)) {
        const expected = [name, permitted(rule)]
        // who may call an operation at all: exactly the actors that some links would permit
        const linked = clinics.map((clinic_id) => ({ clinic_id, source: rule.links[0]! }))
        const some = linked.map((link) => permits(rule, actor, [link])).includes(true)
        const isInNeed =
          rule.inEmergency && can(actor, rule.capability) && actor.emergency!.length > 0
        expect([name, permitsSomewhere(rule, actor)]).toEqual([name, some || isInNeed === true])
        expect([name, await where(patientsWhere(rule, actor))]).toEqual(expected)
        const clinicsMet = clinicsMeetingRule(rule, actor)
        if (rule.clinics !== 'some' || clinicsMet === 'all') continue
        const text = `exists (select from patient_links l where l.patient_id = patients.id and l.until is null
          and ${linkCounts(rule, clinicsMet)})`
        expect([name, await where(sql.raw(text))]).toEqual([name, permitted(rule, offline)])
      }
      for (const name of ['knowPatient', 'readHistory'] as const)
        expect([name, await where(livingWhere(name, actor))]).toEqual([
          name,
          permitted(PATIENT_RULES[name]),
        ])
      const known = permitted(knowPatient)
      expect(
        await where(searchedWhere(actor), sql`patient_search match`, 'match.patient_id'),
      ).toEqual(known)
      const scope = personScope(actor)
      const pulled = personScopeSql(tableNamed('patients'), scope, actor.userId)
      expect(await where(sql.raw(pulled), sql`patients t`, 't.id')).toEqual(
        permitted(knowPatient, offline),
      )
      // the rows of the histories, recorded in each clinic
      const readable = (who: Actor) =>
        vitals
          .filter(({ patient_id, recorded_clinic_id }) =>
            permitsRow(who, recorded_clinic_id, openOf(patient_id), patient_id),
          )
          .map(({ id }) => id)
          .toSorted()
      const readIn = async (condition: unknown, table: string) => {
        const { rows } = await sql<{ id: string }>`select t.id from patient_vitals ${sql.raw(table)}
          where ${condition} order by 1`.execute(db)
        return rows.map(({ id }) => id)
      }
      expect(await readIn(historyWhere(actor, 't'), 't')).toEqual(readable(actor))
      const history = personScopeSql(tableNamed('patient_vitals'), scope, actor.userId)
      expect(await readIn(sql.raw(history), 't')).toEqual(readable(offline))
    }),
    { numRuns: 60 },
  )
})

test('what each access rule permits', async () => {
  await expect(`${ruleTable()}\n`).toMatchFileSnapshot('fixtures/access-rules.txt')
})

test('the links that the rules name are those that the database knows', async ({ db }) => {
  const { rows } = await sql<{ rule: string }>`select pg_get_constraintdef(oid) as rule
    from pg_constraint where conrelid = 'patient_links'::regclass and conname like '%source%'`.execute(
    db,
  )
  const known = [...(rows[0]?.rule ?? '').matchAll(/'(\w+)'/g)].map(([, source]) => source)
  expect(new Set(known)).toEqual(new Set(LINK_SOURCES))
})

test('each rule about a clinic gives one answer as a boolean, as a where, and about a stored user', async ({
  db,
  make,
}) => {
  const clinics = (await Promise.all(CLINICS.map(() => make.clinic()))).map(({ id }) => id)
  await fc.assert(
    fc.asyncProperty(role, grants, async (role, held) => {
      const user = await make.user({ role })
      for (const [at, id] of clinics.entries()) await make.permission(user, id, held[at] ?? [])
      const actor = actorOf(user.id, role, clinics, held)
      for (const [name, rule] of Object.entries(CLINIC_RULES)) {
        const met = clinics.filter((id) => permitsIn(rule, actor, id)).toSorted()
        const expected = [name, met]
        expect([name, somewhere(rule)({ actor })]).toEqual([name, met.length > 0])
        const found = await db
          .selectFrom('clinics')
          .select('id')
          .where('id', 'in', clinics)
          .where(inPermittedClinics(actor, 'id', ...rule))
          .orderBy('id')
          .execute()
        expect([name, found.map(({ id }) => id)]).toEqual(expected)
        const holders = await Promise.all(
          clinics.map(async (id) => {
            const query = db
              .selectFrom('users')
              .select('id')
              .where('id', '=', user.id)
              .where(usersWhere(rule, id))
            return (await query.executeTakeFirst()) ? [id] : []
          }),
        )
        expect([name, holders.flat().toSorted()]).toEqual(expected)
      }
    }),
    { numRuns: 30 },
  )
})
