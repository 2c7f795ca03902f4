import { expect, test } from 'vitest'
import { lowered, recordedLimits, worseThan } from '../scripts/measure/limits'
import {
  circlesIn,
  measureTree,
  importsByFile,
  MEASURES,
  unusedExports,
} from '../scripts/measure/measures'
import { treeAt } from '../scripts/measure/tree'

const file = (path: string, text: string) => ({ path, text })
const figure = (
  name: string,
  files: readonly { path: string; text: string }[],
  subjects: readonly string[] = [],
) => {
  const found = MEASURES.find(({ measure }) => measure.startsWith(name))
  if (!found) throw new Error(`There is no measure ${name}`)
  return found.of({ files, subjects, complaints: [] })
}

test('each figure stands beside its goal and the rule it was counted by, also for an empty tree', () => {
  const figures = measureTree({ files: [], subjects: [], complaints: [] })
  expect(figures).toHaveLength(21)
  for (const row of figures) expect(Object.values(row).every((text) => text.length > 0)).toBe(true)
})

test('a column is counted once in each file that spells it, and not in comments, tests and generated types', () => {
  const files = [
    file('src/features/office/clinics/clinic.ts', "phone: text('x')\nphone: again\n"),
    file('src/features/office/clinics/clinics.server.ts', '// phone\n'),
    file('src/features/office/clinics/clinics.test.ts', "phone: '1'\n"),
    file('src/features/office/users/user.ts', "phone: text('x')\n"),
    file('src/features/prints/sheet.ts', "'clinics.phone as clinic_phone'\n"),
    file('src/db/types.ts', 'hometown: string\n'),
    file('src/features/people/patients/patient.ts', 'hometown\n'),
    file(
      'src/db/migrations/0001_all.sql',
      'create table clinics (\n  phone text\n);\ncreate table patients (hometown text);',
    ),
    file('src/db/migrations/0002_more.sql', 'create table other (phone text);'),
  ]
  expect(figure('places that spell a column', files)).toBe('3; 2')
})

test('a circle is found through any number of files, types included', () => {
  const needs = importsByFile([
    file('src/a/one.ts', "import { two } from '../b/two'\n"),
    file('src/b/two.ts', "import type { Three } from '~/c/three'\n"),
    file('src/c/three.tsx', "import { one } from '~/a/one'\nimport { alone } from './alone'\n"),
    file('src/c/alone.ts', "import * as z from 'zod'\n"),
  ])
  expect(circlesIn(needs)).toEqual([['src/a/one', 'src/b/two', 'src/c/three']])
})

test('an import up the floors of sync is counted as one back', () => {
  const files = [
    file('src/sync/schema/tables.ts', "import { push } from '../push/push.server'\n"),
    file('src/sync/push/push.server.ts', "import { kinds } from '../schema/kinds'\n"),
    file('src/sync/schema/kinds.ts', ''),
  ]
  expect(figure('src/sync', files)).toBe('2 folders of at most 2 files, 1 back, circles: 0')
})

test('functions of several migrations, long lines and long subjects are counted', () => {
  const sql = 'create or replace function keep_it() returns trigger language sql as $$ select 1 $$;'
  const migrations = [
    file('src/db/migrations/0001_a.sql', sql),
    file('src/db/migrations/0002_b.sql', sql),
  ]
  expect(figure('functions and views', migrations)).toBe('1')
  expect(figure('bytes a line', [file('src/a.ts', `${'x'.repeat(121)}\nab\n`)])).toBe('63; 1; 0')
  expect(figure('commits', [], ['Short', 'x'.repeat(73)])).toBe('1 of 2')
})

test('effects that fetch and forms with a state of their own are counted by file', () => {
  const files = [
    file(
      'src/features/x/List.tsx',
      [
        "import { api } from '~/client/api'",
        'useEffect(() => {',
        '  api.x.list().then(show)',
        '}, [])',
        'useEffect(() => focus())\n',
      ].join('\n'),
    ),
    file('src/features/x/Form.tsx', 'const [complaints, setComplaints] = useState({})\n'),
  ]
  expect(figure('fetch effects', files)).toBe('1; 1')
})

test('casts without a reason, names with two meanings and areas that import each other are counted', () => {
  const files = [
    file(
      'src/features/care/a.ts',
      "import { b } from '~/features/day/b'\nexport const nameOf = b\n",
    ),
    file(
      'src/features/day/b.ts',
      "import type { nameOf } from '~/features/care/a'\n// the library's type\nexport const b = c as never\n",
    ),
    file('src/features/day/c.ts', 'export const nameOf = 1 as unknown as string\n'),
    file('src/features/day/c.test.ts', 'export const nameOf = 1 as never\n'),
  ]
  expect(figure('casts by never', files)).toBe('1')
  expect(figure('exported names', files)).toBe('1')
  expect(figure('pairs of areas', files)).toBe('1')
  expect(figure('functions whose names', files)).toBe('2, 333.3 per 1,000')
  expect(figure('lines of the product', files)).toBe('6')
})

test('an export that no other file imports is named; re-exports, types and imports on demand count as uses', () => {
  const files = [
    file('src/a.ts', 'export const one = 1\nexport type Two = 2\nexport function three() {}\n'),
    file('src/b.ts', "import { one } from './a'\nexport const own = one\n"),
    file('src/c.ts', "import {\n  type Two,\n} from '~/a'\nexport * as b from './b'\n"),
    file('src/d.tsx', 'export default one\nexport const Shown = 1\n'),
    file('src/e.ts', "const d = import('./d')\n"),
  ]
  expect(unusedExports({ files, subjects: [], complaints: [] })).toEqual(['src/a.ts three'])
})

test('a figure fails when one of its limited numbers grows, and limits are only lowered', () => {
  const row = (figure: string) => [{ measure: 'files', figure }]
  expect(worseThan({ files: [3, 1200] }, row('3 folders, 1,200 files, 9 more'))).toEqual([])
  expect(worseThan({ files: [3, 1200] }, row('2 folders, 1,201 files'))).toEqual([
    'files: 2 folders, 1,201 files, limit 3; 1200',
  ])
  expect(worseThan({}, row('1'))).toEqual(['files: 1, without a limit'])
  expect(lowered({ files: [3, 1200], other: [1] }, row('2 folders, 1,300 files'))).toEqual({
    files: [2, 1200],
  })
})

test('no figure of this tree is worse than its limit', () => {
  expect(worseThan(recordedLimits(), measureTree(treeAt('.')))).toEqual([])
})
