import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'

test('an answer is a number whatever its digits, and text is none', async ({ db }) => {
  const answers = ['7', '007', ' 12 ', '-3', '1.5', '.5', '1e3', '١٢', '٣٫٥', '9'.repeat(30)]
  const others = ['', ' ', '-', '1,5', '0x1F', '1_000', 'NaN', '12 mg', '9'.repeat(61)]
  const { rows } = await sql<{ number: number | null }>`
    select answer_number(to_jsonb(answer))::float8 as number
    from unnest(${[...answers, ...others]}::text[]) with ordinality given (answer, at)
    order by at`.execute(db)
  const numbers = [7, 7, 12, -3, 1.5, 0.5, 1000, 12, 3.5, 1e30]
  expect(rows.map(({ number }) => number)).toEqual([...numbers, ...others.map(() => null)])
})
