import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** As Synthea's: of no version that RFC 9562 knows. */
const idOf = (...words: (string | number)[]) =>
  createHash('md5')
    .update(words.join())
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const codes = [
  ['8480-6', 'mm[Hg]', 120],
  ['8462-4', 'mm[Hg]', 80],
  ['8302-2', 'cm', 170],
  ['29463-7', 'kg', 70],
  ['8867-4', '/min', 72],
  ['2339-0', 'mg/dL', 90],
] as const

/** An export of so many patients, each with 22 encounters, 36 observations and 16 conditions, as in a real one. */
export function writeSynthea(folder: string, patients: number) {
  mkdirSync(folder, { recursive: true })
  const people = ['Id,BIRTHDATE,DEATHDATE,SSN,FIRST,LAST,GENDER,CITY']
  const encounters = ['Id,START,STOP,PATIENT,PROVIDER,ENCOUNTERCLASS,CODE,DESCRIPTION']
  const observations = ['DATE,PATIENT,ENCOUNTER,CATEGORY,CODE,DESCRIPTION,VALUE,UNITS,TYPE']
  const conditions = ['START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION']
  for (let i = 0; i < patients; i += 1) {
    const patient = idOf('patient', i)
    people.push(
      `${patient},19${10 + (i % 90)}-05-17,,999-00-${i},First${i},Last${i},${i % 2 ? 'F' : 'M'},Boston`,
    )
    for (let visit = 0; visit < 22; visit += 1) {
      const encounter = idOf('encounter', i, visit)
      const start = `20${String(visit).padStart(2, '0')}-03-04T08:00:00Z`
      encounters.push(
        `${encounter},${start},${start.replace('08:00', '08:15')},${patient},,ambulatory,185345009,Check up`,
      )
      if (visit >= 16)
        for (const [code, unit, value] of codes)
          observations.push(
            `${start},${patient},${encounter},vital-signs,${code},"What, exactly",${value + visit},${unit},numeric`,
          )
      else
        conditions.push(
          `${start.slice(0, 10)},,${patient},${encounter},${1000 + visit},Condition ${visit}`,
        )
    }
  }
  const files = {
    patients: people,
    encounters,
    observations,
    conditions,
    immunizations: ['DATE,PATIENT', '2020-01-01,x'],
  }
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(folder, `${name}.csv`), `${lines.join('\n')}\n`)
}
