import { sql } from 'kysely'
import pino from 'pino'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { loggableError, log } from './log'

test('an error in the log has its kind and place, and no value of a record', async ({ db }) => {
  await sql`create temporary table people (name text check (length(name) < 3))`.execute(db)
  const thrown = async (work: () => Promise<unknown>) => {
    await sql`savepoint failing`.execute(db)
    const error = await work().then(
      () => undefined,
      (reason: Error) => reason,
    )
    await sql`rollback to savepoint failing`.execute(db)
    return error!
  }
  const row = await thrown(() => sql`insert into people values ('Zenobia Qasemi')`.execute(db))
  expect(row).toMatchObject({ detail: expect.stringContaining('Zenobia') })
  const value = await thrown(() => sql`select ${'Zenobia "Qasemi"'}::uuid`.execute(db))
  expect(value.message).toContain('Zenobia')
  const text = await thrown(async () => JSON.parse('Zenobia'))
  expect(text.message).toContain('Zenobia')

  // by which the log itself writes errors
  const { err } = log[pino.symbols.serializersSym as never] as { err: typeof loggableError }
  for (const error of [row, value, text, new Error('The call failed', { cause: value })]) {
    const facts = err(error)
    expect(JSON.stringify(facts)).not.toMatch(/Zenobia|Qasemi/)
    expect(facts).toMatchObject({
      message: expect.stringMatching(/./),
      stack: expect.stringMatching(/\n +at /),
    })
  }
  expect(err(row)).toMatchObject({
    code: '23514',
    table: 'people',
    constraint: expect.any(String),
  })
})
