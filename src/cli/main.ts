#!/usr/bin/env node
import { runOn } from "./streams.ts";

void runOn(process, process.argv.slice(2));
