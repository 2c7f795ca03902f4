import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What the sources must not contain, as far as a search can tell. `docs/security/asvs.md` names these tests. */
const sources = globSync('src/**/*.{ts,tsx}')
  .filter((file) => !/\.test\.tsx?$|\.gen\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** `file: match` for each match. */
const found = (pattern: RegExp, isSearched = (_file: string) => true) =>
  sources
    .filter(({ file }) => isSearched(file))
    .flatMap(({ file, text }) =>
      Array.from(text.matchAll(pattern), ([match]) => `${file.slice(4)}: ${match}`),
    )
    .toSorted()

test('no text becomes markup or code, except one constant script', () => {
  const ways = /\beval\(|innerHTML|outerHTML|document\.write|insertAdjacentHTML|srcdoc|javascript:/g
  expect(found(ways)).toEqual([])
  expect(found(/__html: *[^ }]+/g)).toEqual([
    'features/office/sessions/sign-in/SignInPage.tsx: __html: signInScript(assets)',
    'features/office/sessions/sign-in/SignInPage.tsx: __html: signInStyle',
    'routes/__root.tsx: __html: rememberEarly',
  ])
  expect(found(/^(?! *(\/\/|\*)).*\b(new Function\(|postMessage)/gm)).toEqual([])
})

test('programs are started with a list of arguments, never through a shell', () => {
  const imports = found(/import \{[^}]*\} from 'node:child_process'/g)
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((line) => /\b(exec|execSync|fork)\b/.test(line))).toEqual([])
  expect(found(/\bshell: ?true|(?<!\.)\bexec(Sync)?\(['"`]/g)).toEqual([])
})

test('the server opens connections to its database, to SENTRY_DSN and to configured servers only', () => {
  // what a browser runs
  const isServer = (file: string) =>
    !/\.tsx$|\/sign-in-script\.ts$|^src\/(ui|client|routes\/demo|start\.ts)/.test(file)
  const clients = /(?<!\.)\bfetch\([\w'"`]+|new WebSocket|\b(createConnection|connectTls)\(/g
  expect(found(clients, isServer)).toEqual(['server/error-report.ts: fetch(endpoint'])
  // `mayConnect` checks the addresses of the server for reports and of the gateway
  const requests =
    /import \{[^}]*\b(request|get|connect)\b[^}]*\} from 'node:(https?|http2|net|tls)'/g
  const files = found(requests, isServer).map((match) => match.split(':')[0])
  expect([...new Set(files)]).toEqual(['server/outgoing.server.ts'])
  expect(found(/from '(undici|axios|ws|got|node-fetch|node:dgram)'/g)).toEqual([])
})

test('regular expressions are built from constants only', () => {
  expect(found(/new RegExp\(/g).map((match) => match.split(':')[0])).toEqual([
    'features/medicines/prescriptions/writing/unsafe-notations.ts',
    'features/medicines/safety/rules/ingredients.ts',
    'features/medicines/safety/rules/ingredients.ts',
    'server/http-static.server.ts',
  ])
})

test('cryptography is that of the platform, with approved algorithms', () => {
  const named =
    /\b(createHash|createHmac|createCipheriv|createDecipheriv|hkdfSync|generateKeyPairSync)\('[\w-]+'/g
  const uses = found(named)
  // RFC 6238 for authenticator apps, and the id of a key (RFC 5280, section 4.2.1.2), which protects nothing
  const sha1 = uses.filter((use) => use.includes('sha1'))
  expect(sha1.map((use) => use.split(':')[0])).toEqual([
    'features/office/sessions/two-factor/totp.server.ts',
    'server/certificate/issue.ts',
  ])
  const others = uses.filter((use) => !sha1.includes(use)).map((use) => use.split("'")[1]!)
  const approved = ['aes-256-gcm', 'ec', 'ed25519', 'sha256', 'sha384', 'sha512', 'x25519']
  expect(others.filter((algorithm) => !approved.includes(algorithm))).toEqual([])
  expect(found(/Math\.random/g)).toEqual([])
  expect(found(/from '(crypto-js|bcrypt\w*|tweetnacl|jsonwebtoken|jose|node-forge)'/g)).toEqual([
    // signed tokens of programs (RFC 7523), by the cryptography of the platform
    "fhir/assertion.server.ts: from 'jose'",
  ])
})

test('every package of the lock file has a hash and comes from the registry', () => {
  type Package = { version?: string; resolved?: string; integrity?: string }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Package>
  }
  const strays = Object.entries(packages).filter(
    ([path, { version, resolved = 'https://registry.npmjs.org/', integrity }]) =>
      path !== '' &&
      !(
        version &&
        integrity?.startsWith('sha512-') &&
        resolved.startsWith('https://registry.npmjs.org/')
      ),
  )
  expect(strays).toEqual([])
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const versions = Object.values({ ...dependencies, ...devDependencies })
  expect(versions.filter((version) => !/^[\^~]?\d|^npm:/.test(version))).toEqual([])
})
