/**
 * The figures that the structure of the sources is judged by, each counted by a plain rule over the
 * files' texts. A rule that a reader can check in a minute is worth more than an exact one; a
 * figure is to be compared with its earlier self.
 */
type Source = { path: string; text: string }
export type Tree = {
  files: readonly Source[]
  subjects: readonly string[]
  complaints: readonly { rule: string; path: string }[]
}
type Measure = { measure: string; rule: string; goal: string; of: (tree: Tree) => string }

const isTest = ({ path }: { path: string }) => /\.test\.tsx?$|^test\//.test(path)
const isCode = ({ path }: Source) =>
  /\.tsx?$/.test(path) && !/\.gen\.ts$|src\/db\/types\.ts$/.test(path)
const lines = ({ text }: Source) => text.replace(/\n$/, '').split('\n')
const within = (folder: string) => (file: Source) => file.path.startsWith(folder)
const sources = ({ files }: Tree) =>
  files.filter((file) => within('src/')(file) && isCode(file) && !isTest(file))
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const matches = (files: readonly Source[], pattern: RegExp) =>
  sum(files.map(({ text }) => [...text.matchAll(pattern)].length))
const english = new Intl.NumberFormat('en')
const count = (number: number) => english.format(number)

/** Files that spell a column: `everywhere` in any code; `there` in the code of its own feature. */
function spelled(
  { files }: Tree,
  table: string,
  column: string,
  there: RegExp,
  everywhere: RegExp,
) {
  const made = new RegExp(`(create|alter) table ${table}\\b[^;]*\\b${column}\\b`)
  const code = files.filter((file) => within('src/')(file) && isCode(file) && !isTest(file))
  const own = code.filter(({ path, text }) =>
    (there.test(path) ? new RegExp(`\\b${column}\\b`) : everywhere).test(withoutComments(text)),
  )
  const migrations = files.filter(
    ({ path, text }) => path.startsWith('src/db/migrations/') && made.test(text),
  )
  return own.length + migrations.length
}
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const countLinesIn = ({ files }: Tree, folder: string) =>
  sum(files.filter(within(folder)).map((file) => lines(file).length))

/** Which of the tree's files a file imports, types included; its own folder and `~/` only. */
export function importsByFile(files: readonly Source[]): Map<string, string[]> {
  const plain = (path: string) => path.replace(/\.tsx?$/, '')
  const known = new Set(files.map(({ path }) => plain(path)))
  return new Map(
    files.map(({ path, text }) => {
      const named = [...text.matchAll(/(?:from|import) '((?:~|\.\.?)\/[^'?]+)'/g)].map(
        ([, name = '']) => (name.startsWith('~') ? `src/${name.slice(2)}` : joined(path, name)),
      )
      return [plain(path), named.map(plain).filter((name) => known.has(name))]
    }),
  )
}
function joined(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1)
  for (const part of name.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const GENERATORS = new Set(['scripts/table-types.ts', 'test/operation-types.test.ts'])

/** Exports that no other file imports by name. A file that another imports as a whole, or on demand, has none. */
export function unusedExports({ files }: Tree): string[] {
  const code = files.filter((file) => /\.tsx?$/.test(file.path) && !file.path.endsWith('.gen.ts'))
  const plain = (path: string) => path.replace(/\.tsx?$/, '')
  const used = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    const imports = text.matchAll(
      /(?:import|export)\s+(?:type\s+)?([^'"`;=()]*?)\s+from '([^'?]+)|\bimport\(\s*'([^'?]+)/g,
    )
    for (const [, what = '*', name = '', onDemand = name] of imports) {
      const target = onDemand.startsWith('~') ? `src/${onDemand.slice(2)}` : joined(path, onDemand)
      const names = what
        .replaceAll(/[{}]/g, ',')
        .split(',')
        .map((one) =>
          one
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, ''),
        )
      used.set(plain(target), new Set([...(used.get(plain(target)) ?? []), ...names]))
    }
  }
  return code.flatMap(({ path, text }) => {
    const names = used.get(plain(path))
    // routes export what the router's generated tree imports; other types are generated too
    if (names?.has('*') || path === 'src/db/types.ts' || GENERATORS.has(path)) return []
    const exported = text.matchAll(
      /^export (?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/gm,
    )
    return [...exported]
      .map(([, name = '']) => name)
      .filter((name) => !names?.has(name) && !(name === 'Route' && path.startsWith('src/routes/')))
      .map((name) => `${path} ${name}`)
  })
}

/** Groups of files that import one another in a circle. */
export function circlesIn(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const reach = (from: string) => {
    const seen = new Set<string>()
    const left = [...(needs.get(from) ?? [])]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      left.push(...(needs.get(next) ?? []))
    }
    return seen
  }
  const reached = new Map([...needs.keys()].map((file) => [file, reach(file)]))
  const groups = new Map<string, string[]>()
  for (const [file, others] of reached) {
    if (!others.has(file)) continue
    const group = [...others].filter((other) => reached.get(other)?.has(file)).toSorted()
    groups.set(group.join(), group)
  }
  return [...groups.values()]
}

const SYNC_FLOORS: Record<string, number> = { schema: 0, push: 1, pull: 1, http: 2 }
function summarizeSyncFolders(tree: Tree): string {
  const files = sources(tree).filter(within('src/sync/'))
  const folderInSync = (path: string) => path.split('/').slice(2, -1).join('/')
  const needs = importsByFile(files)
  const folders = Object.groupBy(files, ({ path }) => folderInSync(path))
  const most = Math.max(0, ...Object.values(folders).map((inside) => inside?.length ?? 0))
  const syncFloor = (path: string) => SYNC_FLOORS[folderInSync(path)] ?? Number.NaN
  const arrows = [...needs].flatMap(([from, all]) => all.map((to) => [from, to] as const))
  const back = arrows.filter(
    ([from, to]) => folderInSync(from) !== folderInSync(to) && syncFloor(from) <= syncFloor(to),
  )
  const circles = circlesIn(needs).map((circle) => circle.length)
  const count = Object.keys(folders).length
  const inCircles = circles.join(' and ') || 0
  return `${count} folders of at most ${most} files, ${back.length} back, circles: ${inCircles}`
}

/** Written by hand: what sets cookies or reads headers, and the two functions that call every operation. */
const STAYS = /\/(sessions|demo)\/|src\/client\/api\.ts$/

function serverFunctions(tree: Tree): string {
  const files = sources(tree).filter(
    ({ path, text }) => text.includes('createServerFn(') && !STAYS.test(path),
  )
  const own = files.filter(({ path }) => path.endsWith('.functions.ts'))
  const size = sum(own.map((file) => lines(file).length))
  return `${matches(files, /createServerFn\(/g)} in ${files.length} files, ${count(size)} lines`
}

/** Effects that put what a server function answered into the state of a component. */
function fetchEffects(tree: Tree): number {
  const files = sources(tree).filter(({ text }) => /\.functions'|client\/api'/.test(text))
  return sum(
    files.map((file) => {
      const all = lines(file)
      const starts = all.flatMap((line, at) => (/\buse(Debounced)?Effect\(/.test(line) ? [at] : []))
      return starts.filter((at) => /\.then\(|await /.test(all.slice(at, at + 14).join('\n'))).length
    }),
  )
}
const ERROR_STATE =
  /\[complaints, setComplaints\]|useState<(Readonly<|Partial<)*(FieldErrors|Refusal|Record<string, Message>)/
/** Files with a state of their own for what is wrong with each field. */
const formEngines = (tree: Tree) =>
  sources(tree).filter(({ text }) => ERROR_STATE.test(text)).length

function definedTwice({ files }: Tree): string {
  const defined = new Map<string, number>()
  for (const { text } of files
    .filter(within('src/db/'))
    .filter(({ path }) => path.endsWith('.sql'))) {
    const names = text.matchAll(/^\s*create (?:or replace )?(?:function|view) +([a-z_.]+)/gim)
    for (const name of new Set([...names].map(([, name = '']) => name)))
      defined.set(name, (defined.get(name) ?? 0) + 1)
  }
  return count([...defined.values()].filter((times) => times > 1).length)
}

function largestFeature(tree: Tree): string {
  const inside = tree.files
    .filter(within('src/features/'))
    .map(({ path }) => path.split('/').slice(0, -1).join('/'))
  const folders = Object.entries(Object.groupBy(inside, (folder) => folder)).map(
    ([folder, all]) => [all?.length ?? 0, folder.split('/').slice(2).join('/')] as const,
  )
  const [most = 0, folder = ''] = folders.toSorted(([a], [b]) => b - a)[0] ?? []
  return `${most} (${folder})`
}

function shape({ files }: Tree): string {
  const code = files.filter(isCode)
  const all = code.flatMap(lines)
  const bytes = sum(code.map(({ text }) => Buffer.byteLength(text)))
  const long = all.filter((line) => line.length > 120).length
  const ignored = matches(code, /(?:prettier|oxfmt)-ignore(?= \*\/|$| -)/gm)
  return `${Math.round(bytes / Math.max(1, all.length))}; ${long}; ${ignored}`
}

const complained = ({ complaints }: Tree, rule: string) =>
  complaints.filter((each) => each.rule.includes(rule) && !isTest(each)).length
const productLines = (tree: Tree) => sum(sources(tree).map((file) => lines(file).length))
const perThousand = (tree: Tree, number: number) =>
  `${count(number)}, ${((number * 1000) / Math.max(1, productLines(tree))).toFixed(1)} per 1,000`

/** Casts that no type can support, without a comment on the line or above it. */
const bareCasts = (tree: Tree) =>
  sum(
    sources(tree)
      .map(lines)
      .map(
        (all) =>
          all.filter(
            (line, at) =>
              /\bas (?:never|unknown as)\b/.test(line) &&
              ![line, all[at - 1] ?? ''].some((each) => each.includes('//')),
          ).length,
      ),
  )

/** Areas of features that import each other. */
function mutualAreas(tree: Tree): string[] {
  const featureArea = (path: string) => path.match(/^src\/features\/([^/]+)\//)?.[1]
  const arrows = new Set(
    [...importsByFile(sources(tree))].flatMap(([from, all]) =>
      all.map((to) => `${featureArea(from)} ${featureArea(to)}`),
    ),
  )
  return [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' ')
    return from < to && arrows.has(`${to} ${from}`) && !arrow.includes('undefined')
  })
}

/** Names that several files of the product export, each with a meaning of its own. */
function sharedNames(tree: Tree): string[] {
  const exporting = new Map<string, number>()
  for (const { text } of sources(tree)) {
    const names = text.matchAll(
      /^export (?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/gm,
    )
    // a type beside the value of the same name is one meaning
    for (const name of new Set([...names].map(([, each = '']) => each)))
      exporting.set(name, (exporting.get(name) ?? 0) + 1)
  }
  // each route exports what the router's generated tree imports
  exporting.delete('Route')
  return [...exporting].filter(([, files]) => files > 1).map(([name]) => name)
}

const CLINICS = /^src\/(features\/office|routes\/app)\/clinics\/|^src\/records\/clinic\.ts/
const PHONE = /\bclinics\.phone as\b|\bclinic_phone\b/
const HOMETOWN = /\bhometown\b/

/** Citations of pages that are not part of this repository; `docs/…` is. */
export const OUTSIDE = new RegExp(
  [
    String.raw`\bspecification,? (?:section|lists|calls|has|logs|words)\b`,
    String.raw`[(]specification\b`,
    String.raw`[Tt]he specification\b`,
    String.raw`[(]decided\b|: [d]ecided,|as [d]ecided\b`,
    String.raw`(?<!docs\/)\b(?:decided|mobile-sync|trust)\.md\b`,
  ].join('|'),
  'g',
)

export const MEASURES: readonly Measure[] = [
  {
    measure: 'places that spell a column (clinics.phone; patients.hometown)',
    rule: 'files of src that spell it, without tests, generated types, data files and messages; one migration',
    goal: '2; 3',
    of: (tree) =>
      `${spelled(tree, 'clinics', 'phone', CLINICS, PHONE)}; ${spelled(tree, 'patients', 'hometown', /^$/, HOMETOWN)}`,
  },
  {
    measure: 'lines of an ordinary entity (allergies; problems)',
    rule: 'every line of its feature folder, tests included',
    goal: '400; 500',
    of: (tree) =>
      `${countLinesIn(tree, 'src/features/care/allergies/')}; ${countLinesIn(tree, 'src/features/care/problems/')}`,
  },
  {
    measure: 'definitions of an access rule ("knows a patient"); lists of its links',
    rule:
      'in src, without tests and the list of all permissions: its two permissions side by side; ' +
      'lists of the links that come from care',
    goal: '1; 1',
    of(tree) {
      const code = sources(tree).filter(({ path }) => path !== 'src/shared/permissions.ts')
      const definitions = matches(code, /'can_register_patients'[^a-z]{1,60}'can_view_history'/g)
      const lists = matches(code, /'primary'[^a-z]{1,9}'registered'[^a-z]{1,9}'visit'/g)
      return `${definitions}; ${lists}`
    },
  },
  {
    measure: 'server functions written around operations',
    rule: 'createServerFn in src; without src/client/api.ts, and sessions and demo, which set cookies or read headers',
    goal: '0',
    of: serverFunctions,
  },
  {
    measure: 'fetch effects; form state engines',
    rule: 'effects that wait for a server function within 14 lines; files with a state of errors by field',
    goal: '0; 1',
    of: (tree) => `${fetchEffects(tree)}; ${formEngines(tree)}`,
  },
  {
    measure: 'renderRoot; _splat',
    rule: 'occurrences in src, without tests',
    goal: '0; 0',
    of: (tree) =>
      `${matches(sources(tree), /\brenderRoot=/g)}; ${matches(sources(tree), /\b_splat\b/g)}`,
  },
  {
    measure: 'src/sync',
    rule: 'files of a folder without tests; imports between its folders not down the floors schema, push | pull, http',
    goal: '4 folders, 0 back, circles: 0',
    of: summarizeSyncFolders,
  },
  {
    measure: 'functions and views defined in several SQL files',
    rule: 'names of create [or replace] function or view in more than one file of src/db/migrations and schema',
    goal: '0',
    of: definedTwice,
  },
  {
    measure: 'files of the largest folder of features',
    rule: 'files directly in one folder under src/features, tests included',
    goal: '25',
    of: largestFeature,
  },
  {
    measure: 'references from code to pages outside the repository',
    rule: 'citations of a specification, decision or contract that is not in docs; in ts, tsx and sql files',
    goal: '0',
    of: ({ files }) => count(matches(files, OUTSIDE)),
  },
  {
    measure: 'exports that no other file imports',
    rule: 'names exported by a file of src, test or scripts and imported by none',
    goal: '0',
    of: (tree) => count(unusedExports(tree).length),
  },
  {
    measure: 'bytes a line; lines over 120 characters; formatter told to ignore',
    rule: 'all ts and tsx files of src, test and scripts, without generated ones',
    goal: '34; 0; 0',
    of: shape,
  },
  {
    measure: 'casts',
    rule: 'type assertions in src, without `as const` and tests; the linter finds them',
    goal: '3 per 1,000 lines',
    of: (tree) => perThousand(tree, complained(tree, 'consistent-type-assertions')),
  },
  {
    measure: 'casts by never or unknown without a reason',
    rule: '`as never` and `as unknown as` in src, without tests, with no comment on the line or above it',
    goal: '0',
    of: (tree) => count(bareCasts(tree)),
  },
  {
    measure: 'functions over 100 lines; over complexity 15',
    rule: 'in src, without tests; the linter finds them',
    goal: '20; 20',
    of: (tree) =>
      `${complained(tree, 'max-lines-per-function')}; ${complained(tree, 'complexity')}`,
  },
  {
    measure: 'nested ternaries; names that hide another',
    rule: 'no-nested-ternary and no-shadow in src, without tests; the linter finds them',
    goal: '0; 0',
    of: (tree) => `${complained(tree, 'no-nested-ternary')}; ${complained(tree, 'no-shadow')}`,
  },
  {
    measure: 'functions whose names end in Of',
    rule: 'a function or constant of such a name in src, without tests',
    goal: '2 per 1,000 lines',
    of: (tree) => perThousand(tree, matches(sources(tree), /\b(?:function|const) [a-z]\w*Of\b/g)),
  },
  {
    measure: 'exported names with several meanings',
    rule: 'names that more than one file of src exports, without tests',
    goal: '0',
    of: (tree) => count(sharedNames(tree).length),
  },
  {
    measure: 'pairs of areas that import each other',
    rule: 'areas of src/features, types included, without tests',
    goal: '3',
    of: (tree) => count(mutualAreas(tree).length),
  },
  {
    measure: 'lines of the product',
    rule: 'ts and tsx files of src, without tests and generated files',
    goal: 'not more than before',
    of: (tree) => count(productLines(tree)),
  },
  {
    measure: 'commits with a subject over 72 characters',
    rule: 'git log of the current branch',
    goal: '0 of the new ones',
    of: ({ subjects }) =>
      `${subjects.filter((subject) => subject.length > 72).length} of ${subjects.length}`,
  },
]

export const measureTree = (tree: Tree) =>
  MEASURES.map(({ measure, rule, goal, of }) => ({ measure, figure: of(tree), goal, rule }))
