import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconBabyCarriage,
  IconDotsVertical,
  IconEye,
  IconFileImport,
  IconHeartbeat,
  IconHistory,
  IconId,
  IconPlus,
  IconPrescription,
  IconPrinter,
  IconStethoscope,
  IconVirus,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { LinkButton } from '~/client/links'
import { LinkMenuItem } from '~/client/menu-links'
import { useSay } from '~/shared/say'
import { usePrint } from '~/ui/print'

export type Adding = 'vital' | 'problem' | 'visit'

type Props = {
  patientId: string
  mayWrite: boolean
  mayOpenVisit: boolean
  mayPrescribe: boolean
  /** The open visit that a prescription belongs to. */
  visitId: string | undefined
  mayAudit: boolean
  seesAccesses: boolean
  onAdd: (what: Adding) => void
  /** A newborn of this patient can be registered. */
  mayRegisterNewborn: boolean
  /** Of those who may delete: a `<Menu.Item>`. */
  remove?: ReactNode
}

/** What can be done with a patient: what is done most often stands outside. */
export function PatientActions(props: Props) {
  const { patientId, mayWrite, mayOpenVisit, mayPrescribe, visitId, mayAudit } = props
  const { seesAccesses, mayRegisterNewborn, onAdd, remove } = props
  const say = useSay()
  const { print } = usePrint([patientId])
  return (
    <>
      {mayWrite && (
        <Button
          leftSection={<IconHeartbeat size={16} aria-hidden />}
          onClick={() => onAdd('vital')}
        >
          {say('vitals.add')}
        </Button>
      )}
      {mayOpenVisit && (
        <Button
          variant="default"
          visibleFrom="sm"
          leftSection={<IconStethoscope size={16} aria-hidden />}
          onClick={() => onAdd('visit')}
        >
          {say('visits.open')}
        </Button>
      )}
      {mayPrescribe && (
        <LinkButton
          variant="default"
          visibleFrom="sm"
          leftSection={<IconPrescription size={16} aria-hidden />}
          to="/app/prescriptions/edit/{-$prescriptionId}"
          params={{ prescriptionId: 'new' }}
          search={{ patientId, visitId }}
        >
          {say('patientPage.prescribe')}
        </LinkButton>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="input-sm" aria-label={say('patientPage.actions')}>
            <IconDotsVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {/* a phone has no room for their buttons */}
          {mayOpenVisit && (
            <Menu.Item
              hiddenFrom="sm"
              leftSection={<IconStethoscope size={16} aria-hidden />}
              onClick={() => onAdd('visit')}
            >
              {say('visits.open')}
            </Menu.Item>
          )}
          {mayPrescribe && (
            <LinkMenuItem
              hiddenFrom="sm"
              leftSection={<IconPrescription size={16} aria-hidden />}
              to="/app/prescriptions/edit/{-$prescriptionId}"
              params={{ prescriptionId: 'new' }}
              search={{ patientId, visitId }}
            >
              {say('patientPage.prescribe')}
            </LinkMenuItem>
          )}
          {mayWrite && (
            <Menu.Item
              leftSection={<IconVirus size={16} aria-hidden />}
              rightSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onAdd('problem')}
            >
              {say('problems.add')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => void print()}
          >
            {say('patientPage.print')}
          </Menu.Item>
          <LinkMenuItem
            leftSection={<IconId size={16} aria-hidden />}
            to="/app/patients/card/$patientId"
            params={{ patientId }}
          >
            {say('paper.card')}
          </LinkMenuItem>
          {mayWrite && (
            <LinkMenuItem
              leftSection={<IconFileImport size={16} aria-hidden />}
              to="/app/patients/$patientId/document"
              params={{ patientId }}
            >
              {say('documents.title')}
            </LinkMenuItem>
          )}
          {mayRegisterNewborn && (
            <LinkMenuItem
              leftSection={<IconBabyCarriage size={16} aria-hidden />}
              to="/app/patients/register"
              search={{ mother: patientId }}
            >
              {say('registration.newborn')}
            </LinkMenuItem>
          )}
          {seesAccesses && (
            <LinkMenuItem
              leftSection={<IconEye size={16} aria-hidden />}
              to="/app/patients/seen/$patientId"
              params={{ patientId }}
            >
              {say('accesses.ofPatient')}
            </LinkMenuItem>
          )}
          {mayAudit && (
            <LinkMenuItem
              leftSection={<IconHistory size={16} aria-hidden />}
              to="/app/audit"
              search={{ patientId }}
            >
              {say('patientPage.history')}
            </LinkMenuItem>
          )}
          {remove && <Menu.Divider />}
          {remove}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
