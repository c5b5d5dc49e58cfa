#!/bin/sh
exec sleep 300
