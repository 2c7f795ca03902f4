import { globSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test as base } from 'vitest'
import {
  APPOINTMENT_EFFECTS,
  PRESCRIPTION_EFFECTS,
  QUEUE_EFFECTS,
  type Transition,
  TRANSITIONS,
  VISIT_EFFECTS,
} from '~/features/rules/transitions/transitions'
import { RESOURCES } from '~/fhir/resources/all'
import { operations } from '~/rpc/operations'
import { pushedTables } from '~/sync/schema/tables'
import { throwBug } from './access'
import { DAY_TABLES, FHIR_DOORS, OPERATION_DOORS, PHONE_DOORS, STATEMENT_DOORS } from './day-doors'
import { aRequest, cloneTemplate } from './harness'
import { samples } from './samples'
import { makeWorld } from './world'

/** Committed, so that the locks of a transaction say what one operation wrote. */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`doors_${process.pid}`)
  onCleanup(() => db.destroy())
  return { db, ...(await db.transaction().execute((trx) => makeWorld(trx))) }
})

const names = DAY_TABLES.join('|')
/** Statements in TypeScript and in SQL that write a table of the day, or a table that is chosen when they run. */
const WRITES = [
  new RegExp(String.raw`\b(?:updateTable|insertInto|deleteFrom)\(\s*'(?:${names})`, 'g'),
  new RegExp(
    String.raw`\b(?:update|insert into|delete from|merge into) (?:only )?(?:${names})\b`,
    'gi',
  ),
  new RegExp(String.raw`\b(?:saveRecord|deleteRecord)\(\s*\w+,\s*'(?:${names})'`, 'g'),
  /\b(?:soft_delete(?:_all)?|undo_deletions?|open_deletions|delete_some|cascade_deletions)\(/g,
  /\b(?:updateTable|insertInto|deleteFrom)\(\s*[a-z]/g,
  /\b(?:update|insert into|delete from) (?:%\d?\$?[Is]|\$\{sql\.table)/gi,
]

test('every statement that writes the day is in the table of doors', () => {
  const files = globSync('src/**/*.{ts,sql}').filter(
    (file) => !/\.test\.ts$|\.gen\.ts$|^src\/db\/(migrations|types)/.test(file),
  )
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const statements = WRITES.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0)
    return statements > 0 ? [[file.slice(4), statements] as const] : []
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(
      Object.entries(STATEMENT_DOORS).map(([file, { statements }]) => [file, statements]),
    ),
  )
})

/** They write the day with other inputs than those of the samples; `day.test.ts` tries these. */
const BY_OTHER_INPUTS = [
  'followups.call',
  'patients.setDeath',
  'queue.checkIn',
  'reconciliations.decide',
  'trash.restore',
  'visits.reopen',
]

test('every operation that writes the day is in the table of doors', async ({ world }) => {
  const { db, actors, own } = world
  const actor = actors['super_admin']!
  const found = []
  for (const operation of operations.values()) {
    if (operation.facts.kind !== 'mutation') continue
    const trx = await db.startTransaction().execute()
    try {
      const outcome = await operation(
        { db: trx, actor, request: aRequest() },
        samples[operation.facts.name]!(own),
      ).catch((error: unknown) => error)
      throwBug(outcome)
      // PostgreSQL locks each table that a statement writes, even if it changes no row
      const { rows } = await sql`
        select from pg_locks where pid = pg_backend_pid() and mode = 'RowExclusiveLock'
          and relation::regclass::text = any(${[...DAY_TABLES]}::text[])`.execute(trx)
      if (rows.length > 0) found.push(operation.facts.name)
    } finally {
      await trx.rollback().execute()
    }
  }
  expect([...found, ...BY_OTHER_INPUTS].toSorted()).toEqual(Object.keys(OPERATION_DOORS).toSorted())
})

test('every table that phones write and every resource that programs write is in the table of doors', () => {
  const isOfDay = (table: string) => (DAY_TABLES as readonly string[]).includes(table)
  const phones = pushedTables.map(([name]) => name).filter(isOfDay)
  expect(phones.toSorted()).toEqual(Object.keys(PHONE_DOORS).toSorted())
  const resources = RESOURCES.filter(({ writes }) => writes && isOfDay(writes.table))
  expect(resources.map(({ type }) => type).toSorted()).toEqual(Object.keys(FHIR_DOORS).toSorted())
})

test('each transition comes by some door, and what takes it back is one', () => {
  const doors = [
    ...Object.values(OPERATION_DOORS),
    ...Object.values(PHONE_DOORS),
    ...Object.values(FHIR_DOORS),
  ]
  const named = new Set(doors.flatMap((door) => (typeof door === 'string' ? [] : door)))
  // a day passes by itself
  const byItself: Transition[] = ['miss']
  expect(Object.keys(TRANSITIONS).filter((name) => !named.has(name as Transition))).toEqual(
    byItself,
  )
  for (const { undo } of Object.values(TRANSITIONS))
    if (undo !== null) expect(TRANSITIONS).toHaveProperty(undo)
})

test('docs/day-transitions.md is the table', async () => {
  await expect(page()).toMatchFileSnapshot('../docs/day-transitions.md')
})

function page() {
  const doorsOf = (transition: Transition) =>
    [
      ...Object.entries(OPERATION_DOORS).map(([name, door]) => [`\`${name}\``, door] as const),
      ...Object.entries(PHONE_DOORS).map(([name, door]) => [`phones: \`${name}\``, door] as const),
      ...Object.entries(FHIR_DOORS).map(([name, door]) => [`FHIR: \`${name}\``, door] as const),
    ]
      .filter(([, door]) => typeof door !== 'string' && door.includes(transition))
      .map(([name]) => name)
      .join(', ')
  const rows = Object.entries(TRANSITIONS).map(([name, effects]) =>
    [
      `**${name}**: ${effects.when}`,
      APPOINTMENT_EFFECTS[effects.appointment],
      QUEUE_EFFECTS[effects.queue],
      VISIT_EFFECTS[effects.visit],
      PRESCRIPTION_EFFECTS[effects.prescription],
      effects.undo ? `**${effects.undo}**` : '–',
      doorsOf(name as Transition) || 'no door: it follows from the date',
    ].join(' | '),
  )
  const others = Object.entries(STATEMENT_DOORS).map(
    ([file, { as, statements }]) =>
      `| \`${file}\` | ${statements} | ${typeof as === 'string' ? WORDS[as] : as.join(', ')} |`,
  )
  return `${HEAD}
| transition | appointment | places in the queue | visit | prescription | taken back by | doors |
| --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`).join('\n')}

${PHONES}

## Statements that write the day

| file of \`src\` | statements | transitions |
| --- | --- | --- |
${others.join('\n')}
`
}

const WORDS = {
  asSent: 'rows as they come; the visit and the number follow',
  noTransition: 'no transition of its own',
}

const HEAD = `# What the day's transitions do

A test writes this page from \`src/features/rules/transitions/transitions.ts\` and \`test/day-doors.ts\`. Every
screen, operation, job, import, row of a phone and FHIR write goes through
\`src/features/rules/transitions/day.server.ts\`, which applies the table. A door that the table does not name fails a
test.
`

const PHONES = `## Rows of phones and imports

- A row from a phone is never refused or changed by these rules. It is stored as sent; its number and its visit
  follow, and only a link to the visit that the phone left empty is filled in. A patient who died gets no visit.
- A phone does not know that a visit can be closed. A visit that it sends closes those of earlier days in the clinic.
  Where it moves the arrival to after the closing, the closing follows and is marked (\`closed_as\` = \`arrival\`).
- While a patient is in the queue, no screen or program moves the visit to another day or clinic than those of the
  number, nor the day of the appointment; once it is completed, only a program may correct the day. What a phone moves
  so is kept, and the number stays.
- An import brings what was true elsewhere: rows are stored as they come, and no visit is opened or closed for them.
- A patient has one open visit in a clinic on a day. Two can still meet: two phones, or the merge of two records. The
  list of open visits shows both.`
