import { Button, Menu } from '@mantine/core'
import {
  IconChevronDown,
  IconClipboardCheck,
  IconDeviceMobileExclamation,
  IconDownload,
  IconListDetails,
  IconPackageImport,
  IconTransfer,
} from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import { saveCsv } from '~/features/medicines/drugs/save-file'
import { permitsIn } from '~/policy/facts'
import { countStockAt, manageStock } from '~/policy/rules'
import { type Actor, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'

type Props = { actor: Actor; clinic: { id: string; name: string }; hasOthers: boolean }

/** What the user may do with the stock of this clinic. */
export function StockActions({ actor, clinic, hasOthers }: Props) {
  const say = useSay()
  const { run } = useAction()
  const keeps = permitsIn(manageStock, actor, clinic.id)
  const counts = permitsIn(countStockAt, actor, clinic.id)
  const search = { clinic: clinic.id }
  const save = () =>
    void run(async () => {
      const { columns, rows } = await api.inventory.export({ clinicId: clinic.id })
      saveCsv(`${say('inventory.title')} ${clinic.name}`, columns, rows)
    })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            {say('inventory.moreActions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {keeps && hasOthers && (
            <LinkMenuItem
              leftSection={<IconTransfer size={16} aria-hidden />}
              to="/app/inventory/clinic-inventory/transfer"
              search={search}
            >
              {say('inventory.transfer')}
            </LinkMenuItem>
          )}
          <LinkMenuItem
            leftSection={<IconListDetails size={16} aria-hidden />}
            to="/app/inventory/clinic-inventory/ledger"
            search={search}
          >
            {say('inventory.ledger')}
          </LinkMenuItem>
          {counts && (
            <LinkMenuItem
              leftSection={<IconDeviceMobileExclamation size={16} aria-hidden />}
              to="/app/inventory/clinic-inventory/shortfalls"
              search={search}
            >
              {say('inventory.shortfalls')}
            </LinkMenuItem>
          )}
          {mayIn(actor, 'can_download_patient_reports', clinic.id) && (
            <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
              {say('drugs.export')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {counts && (
        <LinkButton
          variant="default"
          leftSection={<IconClipboardCheck size={16} aria-hidden />}
          to="/app/inventory/clinic-inventory/count"
          search={search}
        >
          {say('inventory.stockTake')}
        </LinkButton>
      )}
      {keeps && <ReceiveLink clinicId={clinic.id} />}
    </>
  )
}

export function ReceiveLink({ clinicId }: { clinicId: string }) {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconPackageImport size={16} aria-hidden />}
      to="/app/inventory/clinic-inventory/drug/edit/{-$drugId}"
      params={{ drugId: 'new' }}
      search={{ clinic: clinicId }}
    >
      {say('inventory.receive')}
    </LinkButton>
  )
}
