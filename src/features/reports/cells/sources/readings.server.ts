import { sql } from 'kysely'
import { isOwnWork } from '~/features/rules/own-work/own-work.server'
import { answerNumber, boundAnswers, boundNumbers } from './events.server'
import { raw, recordedRows, type SourceSql } from './source.server'

/** Vital signs that were measured here. */
export const vitalsSource: SourceSql<'vitals'> = {
  opens: ['patient_vitals'],
  rows: (scope, wanted) =>
    recordedRows(
      scope,
      wanted,
      {
        table: 'patient_vitals',
        own: 'timestamp',
        columns: `t.weight_kg, t.height_cm, t.bmi, t.temperature_celsius, t.heart_rate,
          t.respiratory_rate, t.oxygen_saturation, t.systolic_bp, t.diastolic_bp`,
      },
      isOwnWork('t'),
    ),
  fields: {
    'vital.weight_kg': raw('r.weight_kg'),
    'vital.height_cm': raw('r.height_cm'),
    'vital.bmi': raw('r.bmi'),
    'vital.temperature_celsius': raw('r.temperature_celsius'),
    'vital.heart_rate': raw('r.heart_rate'),
    'vital.respiratory_rate': raw('r.respiratory_rate'),
    'vital.oxygen_saturation': raw('r.oxygen_saturation'),
    'vital.systolic_bp': raw('r.systolic_bp'),
    'vital.diastolic_bp': raw('r.diastolic_bp'),
  },
}

const BP = { systolic: 'bp.systolic', diastolic: 'bp.diastolic' }

/**
 * Blood pressures, of vital signs and of answers. The last of a patient's day stands for the day, with its own values
 * or the mean of the day's.
 */
export const bp: SourceSql<'bp'> = {
  opens: ['patient_vitals', 'events'],
  rows: (scope, wanted) => {
    const measured = recordedRows(
      scope,
      wanted,
      {
        table: 'patient_vitals',
        own: 'timestamp',
        columns: `t.timestamp as measured_at, t.systolic_bp as systolic, t.diastolic_bp as diastolic`,
      },
      sql`t.systolic_bp is not null and t.diastolic_bp is not null and ${isOwnWork('t')}`,
    )
    const isBound = Object.values(BP).every((name) =>
      scope.bindings.some(({ concept }) => concept === name),
    )
    const all = sql`select id, patient_id, visit_id, clinic_id, at, day, measured_at, systolic,
      diastolic from (${measured}) measured`
    const answered = sql`
      select * from (${boundNumbers(scope, wanted, BP)}) answered
      where systolic is not null and diastolic is not null`
    const readings = sql`(${all} ${isBound ? sql`union all ${answered}` : sql``}) readings`
    // each of several visits keeps its own
    const once = sql.raw(wanted.visits ? 'patient_id, visit_id, day' : 'patient_id, day')
    const mean = (value: string) => sql.raw(`avg(${value}) over (partition by `)
    const values =
      scope.definition.bp_of_day === 'mean'
        ? sql`${mean('systolic')}${once}) as systolic, ${mean('diastolic')}${once}) as diastolic`
        : sql`systolic, diastolic`
    return sql`select distinct on (${once}) id, patient_id, visit_id, clinic_id, at, day, measured_at,
        ${values}
      from ${readings}
      order by ${once}, measured_at desc, id desc`
  },
  fields: { 'bp.systolic': raw('r.systolic'), 'bp.diastolic': raw('r.diastolic') },
}

const SUGARS = { 'sugar.fasting': 'fasting', 'sugar.random': 'random', hba1c: 'hba1c' }

/** Blood sugars and HbA1c. Of one day HbA1c comes last, so that `latest` prefers it. */
export const sugars: SourceSql<'sugars'> = {
  opens: ['events'],
  rows: (scope, wanted) => sql`
    select id, patient_id, visit_id, clinic_id, at, day, recorded_at as measured_at, value,
      case concept when 'hba1c' then 'hba1c' else split_part(concept, '.', 2) end as kind
    from (${boundAnswers(scope, wanted, Object.keys(SUGARS))}) answered
      cross join lateral (select ${answerNumber(sql.raw('answered.answer'))} as value offset 0) read
    where value is not null`,
  isRepeated: true,
  further: ['kind', 'measured_at'],
  fields: { 'sugar.kind': raw('r.kind'), 'sugar.value': raw('r.value') },
  lastFirst: (alias) =>
    `(${alias}.kind = 'hba1c') desc, ${alias}.measured_at desc, ${alias}.id desc`,
}
