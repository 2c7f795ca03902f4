import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { PERMISSIONS } from '~/shared/permissions'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { test } from '../../../../test/harness'
import { enrollInProgram } from './programs.server'

test('a program that is for others by age or sex is asked about, and no other', async ({
  make,
  asUser,
}) => {
  const { clinic_id } = await make.visit()
  const me = asUser(await make.user(), { [clinic_id]: [...PERMISSIONS] })
  const enrolled_on = dayIn(new Date(), clinicTimeZone())
  for (const [who, program, isAsked] of [
    [{ sex: 'male', date_of_birth: '1990-01-01' }, 'pregnancy', true],
    [{ sex: 'female', date_of_birth: '1940-01-01' }, 'pregnancy', true],
    [{ sex: 'female', date_of_birth: '1990-01-01' }, 'pregnancy', false],
    [{ sex: null, date_of_birth: null }, 'pregnancy', false],
    [{ sex: 'female', date_of_birth: '1990-01-01' }, 'child-immunization', true],
    [{ sex: 'male', date_of_birth: '1990-01-01' }, 'hypertension', false],
  ] as const) {
    const { id: patient_id } = await make.patient({ ...who, primary_clinic_id: clinic_id })
    const enrolment = { id: uuidv7(), patient_id, clinic_id, program, enrolled_on }
    const refused = await enrollInProgram(me, { ...enrolment, confirmed: [] }).catch(
      (error: unknown) => Object(error).fields,
    )
    const about = { program: { key: 'programs.forOthers' } }
    if (isAsked) expect([who, program, refused]).toEqual([who, program, about])
    else expect([who, program, refused.id]).toEqual([who, program, enrolment.id])
    await enrollInProgram(me, { ...enrolment, confirmed: ['against_record'] })
  }
})
