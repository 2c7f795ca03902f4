import * as audit from '~/features/audit/audit.server'
import * as clinics from '~/features/clinics/clinics.server'
import * as departments from '~/features/clinics/departments.server'
import * as patientHistory from '~/features/patients/history.server'
import * as duplicates from '~/features/patients/duplicates.server'
import * as patientExport from '~/features/patients/export.server'
import * as merges from '~/features/patients/merge.server'
import * as patientDeletions from '~/features/patients/patient-deletions.server'
import * as patients from '~/features/patients/patients.server'
import * as patientSearch from '~/features/patients/search.server'
import * as photos from '~/features/patients/photos.server'
import * as codes from '~/features/problems/codes.server'
import * as problems from '~/features/problems/problems.server'
import * as registrationForms from '~/features/registration-form/registration-forms.server'
import * as account from '~/features/sessions/account.server'
import * as sessions from '~/features/sessions/sessions.server'
import * as setup from '~/features/sessions/setup.server'
import * as twoFactor from '~/features/sessions/two-factor.server'
import * as viewer from '~/features/sessions/viewer.server'
import * as timeline from '~/features/timeline/timeline.server'
import * as imports from '~/features/imports/imports.server'
import * as trash from '~/features/trash/trash.server'
import * as permissions from '~/features/users/permissions.server'
import * as users from '~/features/users/users.server'
import * as visits from '~/features/visits/visits.server'
import * as growth from '~/features/vitals/growth.server'
import * as vitals from '~/features/vitals/vitals.server'
import type { AnyOperation } from '~/server/operation'

/** Every file of operations. What they export is what programs may call: a test sees to it that no file is missing here. */
const files = [
  audit,
  clinics,
  departments,
  duplicates,
  merges,
  patientDeletions,
  patientExport,
  patientSearch,
  patientHistory,
  patients,
  photos,
  codes,
  problems,
  registrationForms,
  account,
  sessions,
  setup,
  twoFactor,
  viewer,
  timeline,
  trash,
  permissions,
  users,
  visits,
  growth,
  vitals,
  imports,
]

const isOperation = (value: unknown): value is AnyOperation => typeof value === 'function' && 'facts' in value

/** By name, `noun.verb`. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  files
    .flatMap((file) => Object.values(file))
    .filter(isOperation)
    .map((operation) => [operation.facts.name, operation]),
)
