import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Each command becomes dist/commands/<name>.js; what comes from node_modules stays there. */
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
  build: {
    ssr: true,
    outDir: 'dist/commands',
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
