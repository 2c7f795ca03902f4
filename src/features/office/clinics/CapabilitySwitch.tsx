import { Switch } from '@mantine/core'
import { api } from '~/client/api'
import { departmentRecord } from '~/records/department'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type SwitchableCapability as Capability } from './clinic'
import type { Department } from './departments.server'

type Props = { department: Department; capability: Capability; mayChange: boolean }

/** Shows whether a department has a capability; users who may change it do so here. */
export function CapabilitySwitch({ department, capability, mayChange }: Props) {
  const { id, name, [capability]: isOn } = department
  const say = useSay()
  const { run, pending } = useAction()
  return (
    <Switch
      checked={isOn}
      disabled={!mayChange || pending}
      aria-label={`${name}: ${say(departmentRecord.fields[capability].label)}`}
      onChange={() =>
        void run(() => api.departments.toggleCapability({ id, capability }), {
          success: ({ [capability]: now }) => ({
            key: now ? 'departments.switchedOn' : 'departments.switchedOff',
            values: { name, capability: say(departmentRecord.fields[capability].label) },
          }),
        })
      }
    />
  )
}
