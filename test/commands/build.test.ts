import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { built } from '../built'
import { isAlive, settingsForUsed, test as base, until } from './sanad'

/** A small project that scripts/sanad.mjs builds as it builds Sanad: its `start` prints a version. */
const test = base
  .extend('project', ({ temporaryDirectory }) => {
    const folder = temporaryDirectory()
    chmodSync(folder, 0o755)
    for (const name of ['src', 'scripts']) mkdirSync(join(folder, name))
    cpSync('scripts/sanad.mjs', join(folder, 'scripts', 'sanad.mjs'))
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const inputs = (files: Record<string, string>) =>
      `rolldownOptions: { input: ${JSON.stringify(files)}, output: { entryFileNames: '[name].js' } }`
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    // with the file `hang`, the build writes its process id there and never ends
    write(
      'vite.config.ts',
      `import { existsSync, writeFileSync } from 'node:fs'
      const hang = { name: 'hang', async writeBundle() {
        if (!existsSync('hang')) return
        writeFileSync('hang', String(process.pid))
        await new Promise((end) => setTimeout(end, 600_000))
      } }
      export default {
        plugins: [hang],
        build: { ${inputs({ 'client/page': 'src/page.js', 'server/server': 'src/page.js' })} },
      }`,
    )
    write(
      'vite.commands.config.ts',
      `export default { build: { ssr: true, ${inputs({ start: 'scripts/start.js' })} } }`,
    )
    write('scripts/start.js', `import { version } from '../src/version.js'; console.log(version)`)
    write('src/page.js', `import { version } from './version.js'; console.log(version)`)
    return folder
  })
  .extend('sanad', async ({ project }, { onCleanup }) => {
    const children: ChildProcess[] = []
    onCleanup(() => children.forEach((child) => child.kill('SIGKILL')))
    return (task: 'build' | 'start', uid?: number) => {
      const child = spawn(process.execPath, ['scripts/sanad.mjs', task], {
        cwd: project,
        env: { PATH: process.env['PATH'] },
        ...(uid !== undefined && { uid, gid: uid }),
      })
      children.push(child)
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => (said += String(text)))
      const exit = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
      return { child, exit }
    }
  })

const setVersion = (project: string, version: string) =>
  writeFileSync(join(project, 'src', 'version.js'), `export const version = ${version}`)
const current = (project: string) => readlinkSync(join(project, 'dist', 'current'))
const builds = (project: string) =>
  readdirSync(join(project, 'dist')).filter((name) => name !== 'current')

test('a build beside a running server changes none of its files, and its folder stays until the server ends', async ({
  project,
  sanad,
  start,
  temporaryDirectory,
}) => {
  setVersion(project, '1')
  expect(await sanad('build').exit).toMatchObject({ code: 0 })
  const first = current(project)
  const folder = join(project, 'dist', first)
  // the real server as the first version
  for (const part of ['client', 'server', 'commands']) {
    rmSync(join(folder, part), { recursive: true })
    cpSync(built(part), join(folder, part), { recursive: true })
  }
  // a build of before, whose files an open browser still asks for
  const former = join(project, 'dist', '0123456789abcdef', 'client')
  mkdirSync(join(former, 'assets'), { recursive: true })
  writeFileSync(join(former, 'assets', 'former-Ab1.js'), 'former()')
  writeFileSync(join(former, 'page.txt'), 'former')

  const settings = await settingsForUsed(temporaryDirectory())
  const server = start(settings, { bootstrap: true, cwd: project })
  const url = await server.ready
  const page = await (await fetch(url)).text()
  const onPage = [...page.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path)
  expect(onPage.length).toBeGreaterThan(1)
  const scripts = readdirSync(join(folder, 'client', 'assets')).filter((name) =>
    name.endsWith('.js'),
  )
  expect(scripts.length).toBeGreaterThan(100)
  const answers = new Set<number>()
  const fetchAll = async () => {
    for (const path of [...new Set(onPage), ...scripts.map((name) => `/assets/${name}`), '/'])
      answers.add((await fetch(url + path)).status)
  }
  for (const version of ['2', '3', '4']) {
    setVersion(project, version)
    const building = sanad('build')
    do await fetchAll()
    while (building.child.exitCode === null)
    expect(await building.exit).toMatchObject({ code: 0 })
    expect(await sanad('start').exit).toEqual({ code: 0, said: `${version}\n` })
  }
  await fetchAll()
  expect([...answers]).toEqual([200])
  // the three newest, and the one that runs
  expect(current(project)).not.toBe(first)
  expect(builds(project)).toContain(first)
  expect(builds(project)).toHaveLength(4)

  const formerFile = await fetch(`${url}/assets/former-Ab1.js`)
  expect(formerFile.status).toBe(404) // its build was removed
  server.child.kill('SIGTERM')
  expect(await server.exit).toMatchObject({ code: 0 })
  setVersion(project, '5')
  await sanad('build').exit
  expect(builds(project)).toHaveLength(3)
  expect(builds(project)).not.toContain(first)
})

test('a server gives an open browser the files of the build of before', async ({
  project,
  start,
  temporaryDirectory,
}) => {
  const [now, before] = ['1111111111111111', '2222222222222222'].map((name) =>
    join(project, 'dist', name),
  ) as [string, string]
  cpSync(built(), now, { recursive: true })
  mkdirSync(join(before, 'client', 'assets'), { recursive: true })
  writeFileSync(join(before, 'client', 'assets', 'former-Ab1.js'), 'former()')
  writeFileSync(join(before, 'client', 'robots.txt'), 'of before')
  const sanad = start(await settingsForUsed(temporaryDirectory()), {
    program: join(now, 'commands', 'start.js'),
  })
  const url = await sanad.ready
  const script = await fetch(`${url}/assets/former-Ab1.js`)
  expect([script.status, await script.text()]).toEqual([200, 'former()'])
  expect(await (await fetch(`${url}/robots.txt`)).text()).not.toBe('of before')
})

test('a build that fails or is killed leaves the build of before, which starts', async ({
  project,
  sanad,
}) => {
  setVersion(project, '1')
  expect(await sanad('start').exit).toEqual({ code: 0, said: 'Building…\n1\n' })
  const first = current(project)

  setVersion(project, 'a syntax error')
  expect(await sanad('build').exit).toEqual({
    code: 1,
    said: expect.stringMatching(/Building failed \(vite\.config\.ts\)/) as string,
  })
  expect([current(project), builds(project)]).toEqual([first, [first]])
  const started = await sanad('start').exit
  expect(started.code).toBe(0)
  expect(started.said).toMatch(/The build of before is used: dist\/\w+\n1\n$/)

  setVersion(project, '2')
  writeFileSync(join(project, 'hang'), '')
  const killed = sanad('build')
  const pid = () => Number(readFileSync(join(project, 'hang'), 'utf8'))
  await until(() => pid() > 0)
  killed.child.kill('SIGKILL')
  process.kill(pid(), 'SIGKILL')
  await until(() => !isAlive(pid()))
  expect(current(project)).toBe(first)
  expect(builds(project)).toContainEqual(expect.stringMatching(/^unfinished-/))
  rmSync(join(project, 'hang'))
  expect(await sanad('start').exit).toEqual({ code: 0, said: 'Building…\n2\n' })
  expect(builds(project).toSorted()).toEqual([first, current(project)].toSorted())

  // and back, without building
  setVersion(project, '1')
  expect(await sanad('start').exit).toEqual({ code: 0, said: '1\n' })
  expect(current(project)).toBe(first)
})

test('where nothing can be written, as under systemd, the build of before starts', async ({
  project,
  sanad,
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('another user is needed')
  setVersion(project, '1')
  await sanad('build').exit
  setVersion(project, '2')
  const nobody = 65_534
  const { code, said } = await sanad('start', nobody).exit
  if (code === null || /EACCES.*node|could not be started/.test(said))
    skip('this checkout is closed to other users')
  expect(said).toMatch(/cannot be written: .*The build of before is used: dist\/\w+\n1\n$/s)
})

test('a lock that a power cut left, with the number of another program, keeps no command waiting', async ({
  project,
  sanad,
}) => {
  setVersion(project, '1')
  mkdirSync(join(project, '.cache'))
  writeFileSync(join(project, '.cache', 'sanad.lock'), String(process.pid))
  expect(await sanad('start').exit).toEqual({ code: 0, said: 'Building…\n1\n' })
  expect(existsSync(join(project, '.cache', 'sanad.lock'))).toBe(false)
})
