// `node --import ./bench/heap-reporter.mjs`, in a process with a channel to its parent: tells it, each second, what the last
// full collection of garbage left, in bytes. That is what is alive; how full the heap is between collections says little.
import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

if (process.send !== undefined) {
  let live;
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
      live = getHeapStatistics().used_heap_size;
  }).observe({ entryTypes: ["gc"] });
  setInterval(() => {
    if (live !== undefined && process.connected) process.send({ live });
    live = undefined;
  }, 1_000).unref();
  process.channel.unref();
}
