// Ends the process of `worker.mjs` where a change took it more of the processor's time than was granted, or where it has
// waited for so long that nothing will come any more. Time on the wall says little while others use the machine.
import { parentPort } from "node:worker_threads";

const EVERY_MILLIS = 200;
const IDLE_ROUNDS = 25;

const used = () => (({ user, system }) => (user + system) / 1_000)(process.cpuUsage());
let granted = 0;
let start = 0;
let last = 0;
let idle = 0;

parentPort.on("message", (millis) => {
  granted = millis;
  start = used();
  last = start;
  idle = 0;
});
setInterval(() => {
  const now = used();
  idle = now - last < 4 ? idle + 1 : 0;
  last = now;
  if (granted > 0 && (now - start > granted || idle > IDLE_ROUNDS)) process.kill(process.pid, "SIGKILL");
}, EVERY_MILLIS);
