import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node'

const MOST_LINES = 25

/** Writes each failure as a short text into the file that SANAD_TEST_FAILURES names; `npm test` ends with them. */
export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
    const failures = modules.flatMap((module) => {
      const file = relative('.', module.moduleId)
      const outside = [module, ...module.children.allSuites()].flatMap(
        (one: TestModule | TestSuite) =>
          one.errors().map((error) => failure(file, 'outside of its tests', [error])),
      )
      const tests = [...module.children.allTests('failed')].map((test) =>
        failure(file, test.fullName, test.result().errors ?? []),
      )
      return [...outside, ...tests]
    })
    failures.push(...unhandled.map((error) => failure('', 'no test caught this error', [error])))
    writeFileSync(process.env['SANAD_TEST_FAILURES']!, JSON.stringify(failures))
  }
}

function failure(file: string, name: string, errors: readonly SerializedError[]) {
  const lines = errors.flatMap((error) => [
    ...error.message.split('\n'),
    ...(typeof error.diff === 'string' ? error.diff : '').split('\n'),
    ...(error.stack ?? '').split('\n').filter(isOurs),
  ])
  const texts = lines.map((line) =>
    stripVTControlCharacters(line).replaceAll(`${process.cwd()}/`, '').trimEnd(),
  )
  const said = texts.filter((line) => line !== '')
  const more = said.length - MOST_LINES
  return [
    `FAILED ${file}${file && ': '}${name}`,
    ...said.slice(0, MOST_LINES),
    ...(more > 0 ? [`… ${more} more lines`] : []),
  ].join('\n    ')
}

/** A line of a stack in our own files. */
const isOurs = (line: string) =>
  /^\s+at .*[/\\]/.test(line) && !/node_modules|node:internal/.test(line)
