import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/**
 * Each command becomes commands/<name>.js of a build, in the folder that scripts/sanad.mjs names. What comes from
 * node_modules stays there, except packages of many small files, which every start would open. One with state that the
 * server's files share is not listed.
 */
const commands = [
  'start',
  'dev',
  'admin',
  'db-types',
  'import',
  'seed',
  'backup',
  'restore',
  'bench',
  'prove',
  'measure',
]

export default defineConfig({
  resolve: { tsconfigPaths: true },
  publicDir: false,
  ssr: { noExternal: ['kysely', 'uuid', 'zod'] },
  build: {
    ssr: true,
    target: 'node24',
    sourcemap: false,
    rolldownOptions: {
      input: Object.fromEntries(
        commands.map((name) => [
          name,
          fileURLToPath(new URL(`scripts/${name}.ts`, import.meta.url)),
        ]),
      ),
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
    },
  },
})
