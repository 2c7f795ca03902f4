import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The whole map: a folder may import itself and what is listed here. Adding an arrow is a decision,
 * so it is made here.
 */
const mayImport: Record<string, string[]> = {
  routes: [
    'shell',
    'features',
    'sync',
    'policy',
    'records',
    'fhir',
    'rpc',
    'forms',
    'ui',
    'client',
    'fields',
    'server',
    'shared',
  ],
  // the frame around every signed-in screen
  shell: ['features', 'policy', 'records', 'ui', 'client', 'shared'],
  sync: ['features', 'policy', 'records', 'server', 'db', 'shared'],
  fhir: ['features', 'policy', 'records', 'forms', 'server', 'db', 'shared'],
  rpc: ['features', 'sync', 'server', 'shared'],
  features: ['policy', 'records', 'forms', 'ui', 'client', 'fields', 'server', 'db', 'shared'],
  forms: ['ui', 'client', 'fields', 'server', 'db', 'shared'],
  ui: ['client', 'fields', 'shared'],
  // how the browser speaks with the server; no components but links
  client: ['rpc', 'server', 'shared'],
  policy: ['server', 'db', 'shared'],
  // db: the types of the tables
  records: ['fields', 'db', 'shared'],
  server: ['db', 'shared'],
  fields: ['shared'],
  db: [],
  shared: [],
}

/** Lowest floor first: an area may import itself, the areas before it, and what `UPWARD` names. */
const AREAS = [
  'rules',
  'people',
  'care',
  'medicines',
  'office',
  'day',
  'forms',
  'record',
  'exchange',
  'reports',
]
const UPWARD: Record<string, { area: string; why: string }> = {
  'care/allergies': {
    area: 'medicines',
    why: 'a written allergy is read by the tables of the safety check',
  },
  'care/immunizations': {
    area: 'medicines',
    why: 'a live vaccine is compared with what the patient takes',
  },
  'medicines/safety': { area: 'office', why: 'a second person signs in at a grave warning' },
}
/** What a feature's folder may hold, beside components. */
const featureFile =
  /^[a-z][a-z-]*(\.(server|functions|test))?\.ts$|^[a-z][a-z-]*\.(json|txt)$|^[A-Z]\w*\.tsx$|^[A-Z]\w*\.module\.css$/
const drawers = /(^|\/)(index|utils|helpers|types|hooks|constants)\.tsx?$/

type Import = { file: string; target: string; isType: boolean }

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !file.endsWith('.gen.ts'))
const importsOf = (all: readonly string[]): Import[] =>
  all.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(import type [^']*?from|from|import) '((?:~|\.\.?)\/[^'?]+)'/g,
      ),
    ].map(([, how = '', path = '']) => ({
      file,
      // erased by the compiler: a screen may know what shape an operation answers in
      isType: how.startsWith('import type'),
      target: path.startsWith('~')
        ? join('src', path.slice(2))
        : normalize(join(dirname(file), path)),
    })),
  )
const imports = importsOf(files)
const folderOf = (path: string) => path.split('/')[1] ?? ''
/** The screens of what phones sent settle it by the phones' own rules; no other feature may know how phones sync. */
const DEVICES = 'src/features/office/devices/'
/** `record/visits`: its area and its name. */
const featureOf = (path: string) => path.match(/^src\/features\/([^/]+\/[^/]+)\//)?.[1]

test.each(Object.keys(mayImport))('%s imports only what it may', (folder) => {
  const strays = imports.filter(
    ({ file, target }) =>
      file.startsWith(`src/${folder}/`) &&
      target.startsWith('src/') &&
      !/\.test\.tsx?$/.test(file) &&
      folderOf(target) !== folder &&
      !mayImport[folder]?.includes(folderOf(target)) &&
      !(file.startsWith(DEVICES) && folderOf(target) === 'sync'),
  )
  expect(strays).toEqual([])
})

/** The phones' protocol, lowest floor first: a folder may import itself and the floors below it. */
const SYNC_FLOORS = [['schema'], ['push', 'pull'], ['http']]

test('sync stands on its floors, and knows nothing of the screens for what phones sent', () => {
  const floorOf = (folder: string) => SYNC_FLOORS.findIndex((floor) => floor.includes(folder))
  const syncFolder = (path: string) => path.match(/^src\/sync\/([^/]+)/)?.[1] ?? ''
  expect(
    files.filter((file) => file.startsWith('src/sync/') && floorOf(syncFolder(file)) < 0),
  ).toEqual([])
  const strays = imports.filter(({ file, target }) => {
    if (!file.startsWith('src/sync/') || file.endsWith('.test.ts')) return false
    if (target.startsWith(DEVICES)) return true
    const [from, to] = [syncFolder(file), syncFolder(target)]
    return target.startsWith('src/sync/') && from !== to && floorOf(from) <= floorOf(to)
  })
  expect(strays).toEqual([])
})

test('every folder of src is on the map', () => {
  const folders = new Set(files.filter((file) => file.split('/').length > 2).map(folderOf))
  expect([...folders].filter((folder) => !(folder in mayImport))).toEqual([])
})

test('records know the database by its types', () => {
  const strays = imports.filter(
    ({ file, target, isType }) =>
      !isType && file.startsWith('src/records/') && folderOf(target) === 'db',
  )
  expect(strays).toEqual([])
})

test('screens import no server code; routes/api, .well-known and the sign-in page are no screens', () => {
  const strays = imports.filter(
    ({ file, target, isType }) =>
      !isType &&
      file.startsWith('src/routes/') &&
      !/^src\/routes\/(api\/|\[\.\]well-known|index\.tsx$)/.test(file) &&
      (folderOf(target) === 'db' || target.endsWith('.server')),
  )
  expect(strays).toEqual([])
})

test('features depend on one another without a circle', () => {
  const needs = new Map<string, Set<string>>()
  for (const { file, target } of imports) {
    const [from, to] = [featureOf(file), featureOf(target)]
    if (!from || !to || from === to || file.endsWith('.test.ts')) continue
    needs.set(from, (needs.get(from) ?? new Set()).add(to))
  }
  const circle = (feature: string, path: string[]): string[] | undefined => {
    if (path.includes(feature)) return [...path, feature]
    for (const next of needs.get(feature) ?? []) {
      const found = circle(next, [...path, feature])
      if (found) return found
    }
    return undefined
  }
  expect([...needs.keys()].map((feature) => circle(feature, [])).filter(Boolean)).toEqual([])
})

test('areas stand on floors, with the exceptions that say why', () => {
  const floorOf = (feature: string) => AREAS.indexOf(feature.split('/')[0]!)
  const upward = new Set<string>()
  for (const { file, target } of imports) {
    const [from, to] = [featureOf(file), featureOf(target)]
    if (!from || !to || file.endsWith('.test.ts') || floorOf(to) <= floorOf(from)) continue
    upward.add(`${from} to ${to.split('/')[0]}`)
  }
  expect([...upward].toSorted()).toEqual(
    Object.entries(UPWARD).map(([feature, { area }]) => `${feature} to ${area}`),
  )
})

test('files of src, scripts and test depend on one another without a circle, types included', () => {
  const plain = (path: string) => path.replace(/\.tsx?$/, '')
  const needs = new Map<string, string[]>()
  for (const { file, target } of [...imports, ...importsOf(globSync('{scripts,test}/**/*.ts'))]) {
    if (/\.test\.tsx?$/.test(file)) continue
    needs.set(plain(file), [...(needs.get(plain(file)) ?? []), plain(target)])
  }
  const done = new Set<string>()
  const circles = new Set<string>()
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file)
    if (at >= 0) circles.add(path.slice(at).toSorted().join(' '))
    if (at >= 0 || done.has(file)) return
    for (const next of needs.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of needs.keys()) visit(file, [])
  expect([...circles]).toEqual([])
})

test('what runs before the server leaves root loads files of our own and of Node only', () => {
  const reached = new Set(['scripts/start.ts'])
  for (const file of reached)
    for (const { target, isType } of importsOf([file]))
      // scripts/start.ts imports the server last, when root is left
      if (!isType && target !== 'scripts/serve') reached.add(`${target}.ts`)
  expect(reached.size).toBeGreaterThan(5)
  const packages = [...reached].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type ).*from '([^'.~]+)'/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('node:')),
  )
  expect(packages).toEqual([])
})

test('a feature holds only the files of the closed list, and nothing is called a drawer', () => {
  // area, feature and, in a large feature, its groups, one level deep
  const strays = globSync('src/features/**/*.*').filter((path) => {
    const [area = '', ...inside] = path.split('/').slice(2)
    const name = inside.pop() ?? ''
    const isOfFeature = inside.length === 1 || inside.length === 2
    return (
      !AREAS.includes(area) ||
      !isOfFeature ||
      !inside.every((folder) => /^[a-z-]+$/.test(folder)) ||
      !featureFile.test(name)
    )
  })
  expect(strays).toEqual([])
  expect(
    files.filter(
      (file) => drawers.test(file) && !file.startsWith('src/routes/') && file !== 'src/db/types.ts',
    ),
  ).toEqual([])
})

test('a folder of a feature holds at most 25 files', () => {
  const folders = Object.groupBy(globSync('src/features/**/*.*'), (path) => dirname(path))
  const large = Object.entries(folders).filter(([, paths = []]) => paths.length > 25)
  expect(large.map(([folder, paths = []]) => `${folder}: ${paths.length}`)).toEqual([])
})

test('files stay small: a longer one says why at its top', () => {
  const long = files.filter((file) => {
    const text = readFileSync(file, 'utf8')
    const most = file.endsWith('.test.ts') ? 700 : 450
    return text.split('\n').length > most && !/^(\/\*\*|\/\/).{20,}/.test(text)
  })
  expect(long).toEqual([])
})

test('no line is longer than 120 characters, and none tells the formatter to ignore the next', () => {
  const written = globSync('{src,test,scripts}/**/*.{ts,tsx,mjs,css}').concat(
    globSync('*.{ts,mjs}'),
  )
  const generated = ['src/routeTree.gen.ts', 'src/rpc/operations.gen.ts', 'src/db/types.ts']
  const ignored = ['prettier', 'oxfmt'].map((formatter) => `${formatter}-ignore`)
  const strays = written
    .filter((file) => !generated.includes(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          line.length > 120 || ignored.some((word) => line.includes(word))
            ? [`${file}:${at + 1}`]
            : [],
        ),
    )
  expect(strays).toEqual([])
})

test('lists, menus and calendars are drawn where the theme says, not within a box that may clip them', () => {
  const own = files.filter(
    (file) => !file.includes('.test.') && readFileSync(file, 'utf8').includes('withinPortal'),
  )
  expect(own).toEqual(['src/ui/theme.ts'])
})
